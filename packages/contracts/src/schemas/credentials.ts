import Type, { type Static } from 'typebox';
import type { ValidationIssue } from '../errors.ts';
import { isJsonObject } from '../json.ts';
import { compileLenientCheck } from '../validate.ts';
import { AllowedHosts, type HostAndPort, hostOf } from '../allowed-hosts.ts';
import { AnyObject, CLOSED, Id, nullable, oneOf, Time } from './common.ts';
import { CredentialTest } from './credential-tests.ts';
import { CREDENTIAL_SECRETS, CREDENTIAL_TYPES, type CredentialType, MODEL_PROVIDERS } from './credential-secrets.ts';
import { CredentialConnection, oauth2Issues } from './oauth2.ts';

const Name = Type.String({ minLength: 1, maxLength: 200 });

/** Which versions of workflows may use a credential: those that its owner saved, or all of its workspace. */
export const CREDENTIAL_VISIBILITIES = ['private', 'shared'] as const;

/** How many requests a credential may send to one host, over all workers. */
export const CredentialRateLimit = Type.Object(
  {
    requests: Type.Integer({ minimum: 1, maximum: 10_000, description: 'Number of requests in the time' }),
    per: oneOf(['second', 'minute'], { description: 'The time' }),
    burst: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 10_000,
        default: 1,
        description: 'How many may follow each other at once, after a pause; with 1, requests are evenly spaced',
      }),
    ),
    maxWaitSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 86_400,
        default: 3_600,
        description: 'A request that would wait longer fails its node with RATE_LIMITED',
      }),
    ),
  },
  CLOSED,
);

/** When a credential sends no requests to a host that fails. */
export const CredentialCircuit = Type.Object(
  {
    failuresInRow: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000,
        description: 'Opens after so many failures in a row; 5 without failurePercent',
      }),
    ),
    failurePercent: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 100,
        description: 'Opens when this share of the requests of a window failed',
      }),
    ),
    windowSeconds: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 3_600, default: 60, description: 'The window of failurePercent' }),
    ),
    minRequests: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 10_000,
        default: 10,
        description: 'The fewest requests of a window by which failurePercent counts',
      }),
    ),
    openSeconds: Type.Integer({
      minimum: 1,
      maximum: 3_600,
      description: 'How long it stays open; then it lets probes through, and closes when one succeeds',
    }),
    probes: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100, default: 1, description: 'Number of probes at the same time' }),
    ),
  },
  CLOSED,
);

/** Types of credentials whose requests can be limited: those that are sent by HTTP. */
export const LIMITED_CREDENTIAL_TYPES: readonly CredentialType[] = [
  'apiKey',
  'basic',
  'bearer',
  'header',
  'model',
  'oauth2',
  's3',
];

const limits = {
  visibility: Type.Optional(
    oneOf(CREDENTIAL_VISIBILITIES, {
      description: 'private: only versions that its owner saved may use it; shared: all workflows of the workspace',
    }),
  ),
  allowedHosts: Type.Optional(
    nullable(AllowedHosts, {
      description:
        'Hosts that it may be sent to: names, `*.name` for its subdomains, or addresses, each with or without a port; null is any',
    }),
  ),
  allowedWorkflowIds: Type.Optional(
    nullable(Type.Array(Id, { minItems: 1, maxItems: 100, uniqueItems: true }), {
      description: 'Workflows whose nodes may use it; null allows any',
    }),
  ),
  rateLimit: Type.Optional(
    nullable(CredentialRateLimit, {
      description: 'Of requests of connector, http, model and s3 nodes, to each host by itself; null is none',
    }),
  ),
  circuit: Type.Optional(
    nullable(CredentialCircuit, {
      description: 'For requests of connector, http, model and s3 nodes, to each host by itself; null is none',
    }),
  ),
};

/** The secret is checked by `secretIssues`, which knows the type. */
export const CreateCredentialBody = Type.Object(
  { workspaceId: Id, name: Name, type: oneOf(CREDENTIAL_TYPES), secret: AnyObject, ...limits },
  CLOSED,
);
export const UpdateCredentialBody = Type.Object(
  { name: Type.Optional(Name), secret: Type.Optional(AnyObject), ...limits },
  { ...CLOSED, minProperties: 1 },
);

/** A credential as people see it: never its secret. */
export const CredentialEntry = Type.Object({
  id: Id,
  workspaceId: Id,
  name: Type.String(),
  type: oneOf(CREDENTIAL_TYPES),
  ownerId: nullable(Id),
  visibility: oneOf(CREDENTIAL_VISIBILITIES),
  allowedHosts: nullable(Type.Array(Type.String())),
  allowedWorkflowIds: nullable(Type.Array(Id)),
  rateLimit: nullable(CredentialRateLimit),
  circuit: nullable(CredentialCircuit),
  connection: nullable(CredentialConnection, { description: 'Of an oauth2 credential; null for other types' }),
  lastTest: nullable(CredentialTest, { description: 'The last test of its present secret; null without one' }),
  createdAt: Time,
  updatedAt: Time,
});

/** The region that signatures name unless a credential has another one. */
export const S3_REGION = 'us-east-1';

/** Where an SSH server listens unless the credential says otherwise. */
export const SSH_PORT = 22;

/** Where a PostgreSQL server listens unless its URL says otherwise. */
const POSTGRES_PORT = 5_432;

const CHECKS = {
  apiKey: compileLenientCheck(CREDENTIAL_SECRETS.apiKey),
  basic: compileLenientCheck(CREDENTIAL_SECRETS.basic),
  bearer: compileLenientCheck(CREDENTIAL_SECRETS.bearer),
  header: compileLenientCheck(CREDENTIAL_SECRETS.header),
  model: compileLenientCheck(CREDENTIAL_SECRETS.model),
  oauth2: compileLenientCheck(CREDENTIAL_SECRETS.oauth2),
  postgres: compileLenientCheck(CREDENTIAL_SECRETS.postgres),
  s3: compileLenientCheck(CREDENTIAL_SECRETS.s3),
  sftp: compileLenientCheck(CREDENTIAL_SECRETS.sftp),
  smtp: compileLenientCheck(CREDENTIAL_SECRETS.smtp),
};

/** A secret as nodes use it. */
export type Credential = {
  readonly [T in CredentialType]: { readonly type: T; readonly secret: Static<(typeof CREDENTIAL_SECRETS)[T]> };
}[CredentialType];

/** Whether credentials of a type go where their nodes say: they do not name a server themselves. */
export function goesAnywhere(type: CredentialType): boolean {
  return ['apiKey', 'basic', 'bearer', 'header', 'oauth2'].includes(type);
}

/** A secret of a type as it was kept; undefined when it does not have the shape of its type. */
export function toCredential(type: CredentialType, secret: unknown): Credential | undefined {
  const candidate: unknown = { type, secret };
  return isCredential(candidate) ? candidate : undefined;
}

function isCredential(candidate: unknown): candidate is Credential {
  return (
    isJsonObject(candidate) &&
    CREDENTIAL_TYPES.some((type) => candidate.type === type && secretIssues(type, candidate.secret).length === 0)
  );
}

/** Returns a text in Base64, as UTF-8. Browsers run this file, too, and have no Buffer. */
function toBase64(text: string): string {
  return btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(''));
}

/** The tokens that callers and senders may use: one, or two while they change over from one to the other. */
export function tokensOf({
  token,
  nextToken,
}: Static<(typeof CREDENTIAL_SECRETS)['bearer']>): readonly [string, ...string[]] {
  return nextToken === undefined ? [token] : [token, nextToken];
}

/** The texts of a credential that must not be seen anywhere: not names, hosts and users, but what opens a door. */
export function secretTexts(credential: Credential): readonly string[] {
  switch (credential.type) {
    case 'apiKey':
    case 'header':
      return [credential.secret.value];
    case 'basic': {
      const { username, password } = credential.secret;
      return [password, toBase64(`${username}:${password}`)];
    }
    case 'bearer':
      return tokensOf(credential.secret);
    case 'model':
      return [credential.secret.apiKey ?? ''];
    case 'oauth2':
      return [credential.secret.clientSecret ?? '', credential.secret.privateKey ?? ''];
    case 'postgres': {
      const { connectionString } = credential.secret;
      const password = URL.canParse(connectionString) ? new URL(connectionString).password : '';
      return [connectionString, password, decodeURIComponent(password)];
    }
    case 's3':
      return [credential.secret.secretAccessKey];
    case 'sftp': {
      const { password = '', privateKey = '', passphrase = '' } = credential.secret;
      return [password, privateKey, passphrase];
    }
    case 'smtp':
      return [credential.secret.password ?? ''];
  }
}

/** Returns the address of an S3 store: that of Amazon in the region, unless it is another one. */
export function s3Endpoint({ endpoint, region = S3_REGION }: Static<typeof CREDENTIAL_SECRETS.s3>): URL {
  return new URL(endpoint ?? `https://s3.${region}.amazonaws.com`);
}

/**
 * The server that a credential is for by itself; undefined for one that goes where its node says. Its name is as it was
 * written.
 */
export function serverOf(credential: Credential): HostAndPort | undefined {
  switch (credential.type) {
    case 'postgres': {
      const { connectionString } = credential.secret;
      const url = URL.canParse(connectionString) ? new URL(connectionString) : undefined;
      return { host: url?.hostname ?? '', port: url?.port ? Number(url.port) : POSTGRES_PORT };
    }
    case 's3':
      return hostOf(s3Endpoint(credential.secret));
    case 'sftp':
      return { host: credential.secret.host, port: credential.secret.port ?? SSH_PORT };
    case 'smtp':
      return credential.secret;
    case 'model':
      return hostOf(new URL(modelUrl(credential.secret)));
    default:
      return undefined;
  }
}

/** Returns the base URL of the API of a language model, without a slash at its end. */
export function modelUrl({ provider, baseUrl }: Static<(typeof CREDENTIAL_SECRETS)['model']>): string {
  return (baseUrl ?? MODEL_PROVIDERS[provider] ?? '').replace(/\/+$/, '');
}

/** The issues of a secret of a type, none when it is fit to be kept. They name fields, never what those hold. */
export function secretIssues(type: CredentialType, secret: unknown): readonly ValidationIssue[] {
  const result = CHECKS[type](secret);
  const issues = 'issues' in result ? result.issues : rulesOf(type, secret);
  return issues.map(({ path, message }) => ({ path: path === '' ? 'secret' : `secret.${path}`, message }));
}

/** The issues of a secret that has the form of its type, by the rules that the form cannot express. */
function rulesOf(type: CredentialType, secret: unknown): readonly ValidationIssue[] {
  if (type === 's3') {
    const result = CHECKS.s3(secret);
    return 'value' in result ? s3Issues(result.value) : [];
  }
  if (type === 'model') {
    const result = CHECKS.model(secret);
    return 'value' in result ? modelIssues(result.value) : [];
  }
  const result = type === 'oauth2' ? CHECKS.oauth2(secret) : undefined;
  return result && 'value' in result ? oauth2Issues(result.value) : [];
}

function s3Issues({ endpoint, pathStyle }: Static<(typeof CREDENTIAL_SECRETS)['s3']>): readonly ValidationIssue[] {
  if (endpoint === undefined) return [];
  if (!URL.canParse(endpoint)) return [{ path: 'endpoint', message: 'must be a URL' }];
  const isAddress = /^(\[|[\d.]+$)/.test(new URL(endpoint).hostname);
  return pathStyle === false && isAddress
    ? [{ path: 'pathStyle', message: 'must be true for an endpoint without a name: an address has no subdomains' }]
    : [];
}

function modelIssues({
  provider,
  apiKey,
  baseUrl,
}: Static<(typeof CREDENTIAL_SECRETS)['model']>): readonly ValidationIssue[] {
  if (baseUrl !== undefined && !URL.canParse(baseUrl)) return [{ path: 'baseUrl', message: 'must be a URL' }];
  const needed = provider === 'openaiCompatible' ? ({ baseUrl } as const) : ({ apiKey } as const);
  return Object.entries(needed).flatMap(([path, value]) =>
    value === undefined ? [{ path, message: `is required by ${provider}` }] : [],
  );
}

export type CreateCredentialBody = Static<typeof CreateCredentialBody>;
export type UpdateCredentialBody = Static<typeof UpdateCredentialBody>;
export type CredentialEntry = Static<typeof CredentialEntry>;
export type CredentialRateLimit = Static<typeof CredentialRateLimit>;
export type CredentialCircuit = Static<typeof CredentialCircuit>;
/** Who may use a credential, where, and how often. */
export type CredentialLimits = Pick<
  CreateCredentialBody,
  'visibility' | 'allowedHosts' | 'allowedWorkflowIds' | 'rateLimit' | 'circuit'
>;

/** The issues of limits for a credential of a type. */
export function trafficIssues(
  type: CredentialType,
  given: Pick<CredentialLimits, 'rateLimit' | 'circuit'>,
): readonly ValidationIssue[] {
  if (LIMITED_CREDENTIAL_TYPES.includes(type)) return [];
  return (['rateLimit', 'circuit'] as const).flatMap((path) =>
    given[path] === undefined || given[path] === null
      ? []
      : [{ path, message: `is for credentials of requests over HTTP: ${LIMITED_CREDENTIAL_TYPES.join(', ')}` }],
  );
}
