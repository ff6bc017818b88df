import Type, { type Static } from 'typebox';
import type { ValidationIssue } from '../errors.ts';
import { CLOSED, nullable, oneOf, Time } from './common.ts';

/** How an OAuth 2.0 credential gets its tokens. */
export const OAUTH2_GRANTS = ['authorizationCode', 'clientCredentials', 'deviceCode', 'jwtBearer'] as const;
export type OAuth2Grant = (typeof OAUTH2_GRANTS)[number];

/** Whether an OAuth 2.0 credential has tokens. `reconnect_needed`: the provider refuses those that it has. */
export const CONNECTION_STATUSES = ['not_connected', 'connected', 'reconnect_needed'] as const;
export type ConnectionStatus = (typeof CONNECTION_STATUSES)[number];

/** An address of the provider. `oauth2Issues` requires https unless it is on this machine. */
const endpoint = (description: string) =>
  Type.Optional(Type.String({ pattern: '^https?://[^\\s#]+$', maxLength: 2_000, description }));

const text = (description: string, maxLength = 4_000) =>
  Type.Optional(Type.String({ minLength: 1, maxLength, description }));

/** What an OAuth 2.0 credential is configured with. Tokens are stored apart from it. */
export const OAuth2Secret = Type.Object(
  {
    grant: oneOf(OAUTH2_GRANTS, { description: 'How it gets its tokens' }),
    clientId: Type.String({
      minLength: 1,
      maxLength: 1_000,
      description: 'The id of the client that you registered; for jwtBearer the issuer, such as a `client_email`',
    }),
    clientSecret: text('The secret of the client; a public client has none'),
    privateKey: text('The key that signs assertions: PKCS #8 in PEM, RSA or P-256', 16_384),
    keyId: text('The id of the private key, sent as `kid`', 1_000),
    subject: text('The account that assertions are about, for a service account that acts for a person', 1_000),
    authorizationUrl: endpoint('The page where a person allows access'),
    deviceAuthorizationUrl: endpoint('Where device codes are requested'),
    tokenUrl: Type.String({
      pattern: '^https?://[^\\s#]+$',
      maxLength: 2_000,
      description: 'Where tokens are requested and refreshed',
    }),
    revocationUrl: endpoint('Where tokens are revoked when the credential is deleted'),
    issuer: endpoint('The issuer; if set, the redirect back must name it (RFC 9207)'),
    clientAuthentication: Type.Optional(
      oneOf(['basic', 'post', 'none'], {
        description: 'How the client secret is sent: basic (the default with a secret), post, or none',
      }),
    ),
    scopes: text('What access is requested, exactly as the provider wants it, such as `read write`'),
    audience: text('Sent as `audience`, which some providers need', 2_000),
    resource: endpoint('Sent as `resource` (RFC 8707)'),
    extraParameters: Type.Optional(
      Type.Record(Type.String({ pattern: '^[A-Za-z0-9_.-]{1,100}$' }), Type.String({ maxLength: 2_000 }), {
        maxProperties: 20,
        description: 'Sent with the first request of the grant, such as `access_type`: `offline`',
      }),
    ),
  },
  CLOSED,
);
export type OAuth2Secret = Static<typeof OAuth2Secret>;

type Member = keyof OAuth2Secret;

const OF_CLIENT: readonly Member[] = ['clientSecret', 'clientAuthentication'];
const OF_REQUEST: readonly Member[] = ['scopes', 'audience', 'resource', 'extraParameters', 'revocationUrl'];

/** The members that a grant needs beside `grant`, and those that it may have. */
export const OAUTH2_MEMBERS: Readonly<
  Record<OAuth2Grant, { readonly needed: readonly Member[]; readonly optional: readonly Member[] }>
> = {
  authorizationCode: {
    needed: ['clientId', 'authorizationUrl', 'tokenUrl'],
    optional: [...OF_CLIENT, ...OF_REQUEST, 'issuer'],
  },
  clientCredentials: { needed: ['clientId', 'clientSecret', 'tokenUrl'], optional: [...OF_CLIENT, ...OF_REQUEST] },
  deviceCode: {
    needed: ['clientId', 'deviceAuthorizationUrl', 'tokenUrl'],
    optional: [...OF_CLIENT, ...OF_REQUEST],
  },
  jwtBearer: {
    needed: ['clientId', 'privateKey', 'tokenUrl'],
    optional: [...OF_REQUEST, 'keyId', 'subject'],
  },
};

/** Parameters that the protocol sets itself. */
const RESERVED = new Set(
  [
    'assertion client_assertion client_assertion_type client_id client_secret code code_challenge',
    'code_challenge_method code_verifier device_code grant_type redirect_uri refresh_token response_mode',
    'response_type scope state audience resource',
  ].flatMap((names) => names.split(' ')),
);

/** Hosts of this machine, whose addresses may be http. */
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Returns the issues of a configuration that has the form of `OAuth2Secret`, by its grant. */
export function oauth2Issues(secret: OAuth2Secret): readonly ValidationIssue[] {
  const { needed, optional } = OAUTH2_MEMBERS[secret.grant];
  const known = new Set<string>(['grant', ...needed, ...optional]);
  const given = Object.keys(secret);
  return [
    ...needed.filter((name) => secret[name] === undefined).map((path) => ({ path, message: 'is required' })),
    ...given
      .filter((name) => !known.has(name))
      .map((path) => ({ path, message: `is not used with the grant ${secret.grant}` })),
    ...Object.entries(secret).flatMap(([path, value]) =>
      typeof value === 'string' && ENDPOINTS.has(path) ? endpointIssues(path, value) : [],
    ),
    ...Object.keys(secret.extraParameters ?? {})
      .filter((name) => RESERVED.has(name.toLowerCase()))
      .map((name) => ({ path: `extraParameters.${name}`, message: 'is set by the protocol' })),
    ...(secret.clientSecret === undefined && ['basic', 'post'].includes(secret.clientAuthentication ?? '')
      ? [{ path: 'clientAuthentication', message: 'needs a clientSecret' }]
      : []),
  ];
}

const ENDPOINTS = new Set(['authorizationUrl', 'deviceAuthorizationUrl', 'tokenUrl', 'revocationUrl', 'issuer']);

function endpointIssues(path: string, value: string): readonly ValidationIssue[] {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (!url) return [{ path, message: 'is not a URL' }];
  if (url.username !== '' || url.password !== '') return [{ path, message: 'must not contain credentials' }];
  const isSafe = url.protocol === 'https:' || LOOPBACK.has(url.hostname);
  return isSafe ? [] : [{ path, message: 'must be an https address' }];
}

/** The connection of an OAuth 2.0 credential, as people see it: never its tokens. */
export const CredentialConnection = Type.Object({
  grant: oneOf(OAUTH2_GRANTS),
  status: oneOf(CONNECTION_STATUSES, {
    description: 'reconnect_needed: the provider refuses its tokens, so a person must connect it again',
  }),
  scopes: Type.Array(Type.String(), { description: 'What the provider granted; empty if it does not say' }),
  expiresAt: nullable(Time, { description: 'When the access token expires; it is refreshed before' }),
  connectedAt: nullable(Time),
  refreshedAt: nullable(Time, { description: 'When the provider issued the access token' }),
  lastUsedAt: nullable(Time, { description: 'When a node used it, to within five minutes' }),
  lastError: nullable(Type.Object({ code: Type.String(), message: Type.String(), at: Time }), {
    description: 'Why the last attempt to get a token failed; null after one that succeeded',
  }),
});
export type CredentialConnection = Static<typeof CredentialConnection>;

/** What a person does next to connect a credential. */
export const StartedConnection = Type.Union([
  Type.Object({
    kind: Type.Literal('redirect'),
    authorizationUrl: Type.String({ description: 'The page to open in the browser of the person' }),
    redirectUrl: Type.String({ description: 'Where the provider redirects to; register it with the provider' }),
    expiresAt: Time,
  }),
  Type.Object({
    kind: Type.Literal('device'),
    attempt: Type.String({ description: 'Names the attempt when you poll it' }),
    userCode: Type.String({ description: 'The code that the person enters' }),
    verificationUrl: Type.String({ description: 'The page where the person enters it' }),
    pollSeconds: Type.Integer({ description: 'How often to poll' }),
    expiresAt: Time,
  }),
  Type.Object({ kind: Type.Literal('connected') }, { description: 'It has a token: nothing is left to do' }),
]);
export type StartedConnection = Static<typeof StartedConnection>;

/** Polls an attempt to connect by a device code. */
export const PollConnectionBody = Type.Object({ attempt: Type.String({ minLength: 1, maxLength: 200 }) }, CLOSED);
/** Whether the person has allowed access meanwhile. */
export const PolledConnection = Type.Object({
  state: oneOf(['pending', 'connected']),
  pollSeconds: Type.Optional(Type.Integer({ description: 'How often to poll from now on, in seconds, while pending' })),
});

/** The parameters of the redirect back from the provider. */
export const FinishConnectionBody = Type.Object(
  {
    parameters: Type.String({
      minLength: 1,
      maxLength: 16_384,
      description: 'The query of the address that the provider redirected to',
    }),
  },
  CLOSED,
);
/** The credential that the redirect was for. */
export const FinishedConnection = Type.Object({
  credentialId: Type.String(),
  workspaceId: Type.String(),
  name: Type.String(),
});

/** A workflow with a node that uses a credential. */
export const CredentialUse = Type.Object({ workflowId: Type.String(), name: Type.String() });
export type CredentialUse = Static<typeof CredentialUse>;
export const CredentialUses = Type.Object({ data: Type.Array(CredentialUse) });
export type FinishedConnection = Static<typeof FinishedConnection>;
export type PolledConnection = Static<typeof PolledConnection>;
