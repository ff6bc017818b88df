import { type CompiledTemplate, compileTriggerExpression } from '@deckhand/engine';
import { DeckhandError, isUuid, SIGN_ON_ROLES } from '@deckhand/contracts';
import { SettingsError } from '@deckhand/runtime';
import { readFileSync } from 'node:fs';
import { types } from 'node:util';
import Type, { type Static } from 'typebox';

/** Settings of single sign-on by OpenID Connect. It is off without OIDC_ISSUER. */
export const SignOnSettings = {
  /** Address of the identity provider, which its discovery document also names. */
  OIDC_ISSUER: Type.Optional(Type.String({ pattern: '^https?://' })),
  OIDC_CLIENT_ID: Type.Optional(Type.String({ minLength: 1 })),
  /** Without it, and without the file, the client is a public one. */
  OIDC_CLIENT_SECRET: Type.Optional(Type.String({ minLength: 1 })),
  /** A file that contains the secret. */
  OIDC_CLIENT_SECRET_FILE: Type.Optional(Type.String({ minLength: 1 })),
  OIDC_SCOPES: Type.String({ pattern: '(^| )openid( |$)', default: 'openid email profile' }),
  /** What the button of the sign-in says. */
  OIDC_LABEL: Type.String({ minLength: 1, maxLength: 60, default: 'Single sign-on' }),
  /** Domains of addresses that may sign in, and get an account; `*` is any. Without it, only accounts that exist. */
  OIDC_ALLOWED_DOMAINS: Type.Optional(Type.String()),
  /** Domains whose passwords are refused. */
  OIDC_ONLY_DOMAINS: Type.Optional(Type.String()),
  /** Addresses whose passwords are accepted nevertheless. */
  OIDC_BREAK_GLASS: Type.Optional(Type.String()),
  /** The claim that says whether the address is verified. */
  OIDC_VERIFIED_CLAIM: Type.String({ minLength: 1, default: 'email_verified' }),
  /** The workspace that new people become members of. */
  OIDC_WORKSPACE_ID: Type.Optional(Type.String()),
  OIDC_DEFAULT_ROLE: Type.Enum([...SIGN_ON_ROLES], { default: 'viewer' }),
  /** An expression over the claims (`$trigger`) that gives the role at every sign-in. */
  OIDC_ROLE: Type.Optional(Type.String({ maxLength: 10_000 })),
  /** How long the requests of one sign-in may take together, in ms. */
  OIDC_TIMEOUT_MS: Type.Integer({ minimum: 500, maximum: 60_000, default: 10_000 }),
};

export type SignOnSettings = Static<ReturnType<typeof Type.Object<typeof SignOnSettings>>>;

/** How people sign in by an identity provider. */
export interface SignOnConfiguration {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string | undefined;
  readonly scopes: string;
  readonly label: string;
  readonly timeoutMs: number;
  readonly verifiedClaim: string;
  /** In lower case. Empty if only people with an account may sign in, whatever their domain. */
  readonly allowedDomains: ReadonlySet<string>;
  readonly workspaceId: string | null;
  readonly defaultRole: (typeof SIGN_ON_ROLES)[number];
  readonly role: CompiledTemplate | undefined;
}

/** Whose passwords are refused. Both sets are in lower case. */
export interface PasswordRules {
  readonly ssoOnlyDomains: ReadonlySet<string>;
  readonly breakGlass: ReadonlySet<string>;
}

/** Reads the settings of single sign-on. @returns undefined if it is off. @throws SettingsError naming the problem. */
export function readSignOn(settings: SignOnSettings): SignOnConfiguration | undefined {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_WORKSPACE_ID: workspaceId } = settings;
  if (issuer === undefined) {
    if (settings.OIDC_ONLY_DOMAINS === undefined) return undefined;
    throw bad('OIDC_ONLY_DOMAINS needs OIDC_ISSUER: nobody of these domains could sign in');
  }
  if (clientId === undefined) throw bad('OIDC_ISSUER needs OIDC_CLIENT_ID');
  requireSecure(issuer);
  if (workspaceId !== undefined && !isUuid(workspaceId)) throw bad('OIDC_WORKSPACE_ID must be the id of a workspace');
  if (settings.OIDC_ROLE !== undefined && workspaceId === undefined) throw bad('OIDC_ROLE needs OIDC_WORKSPACE_ID');
  return {
    issuer,
    clientId,
    clientSecret: readClientSecret(settings),
    scopes: settings.OIDC_SCOPES,
    label: settings.OIDC_LABEL,
    timeoutMs: settings.OIDC_TIMEOUT_MS,
    verifiedClaim: settings.OIDC_VERIFIED_CLAIM,
    allowedDomains: readDomains('OIDC_ALLOWED_DOMAINS', settings.OIDC_ALLOWED_DOMAINS, '*'),
    workspaceId: workspaceId?.toLowerCase() ?? null,
    defaultRole: settings.OIDC_DEFAULT_ROLE,
    role: compileRole(settings.OIDC_ROLE),
  };
}

/** Reads whose passwords are refused. @throws SettingsError for what is not a domain or an address. */
export function readPasswordRules(settings: SignOnSettings): PasswordRules {
  const breakGlass = listOf(settings.OIDC_BREAK_GLASS);
  const wrong = breakGlass.find((address) => !/^[^@\s]+@[^@\s]+$/.test(address));
  if (wrong !== undefined) throw bad(`OIDC_BREAK_GLASS must name e-mail addresses, not "${wrong}"`);
  const ssoOnlyDomains = readDomains('OIDC_ONLY_DOMAINS', settings.OIDC_ONLY_DOMAINS);
  if (ssoOnlyDomains.size > 0 && breakGlass.length === 0)
    throw bad('OIDC_ONLY_DOMAINS needs OIDC_BREAK_GLASS: nobody of these domains gets in while the provider is down');
  return {
    ssoOnlyDomains,
    breakGlass: new Set(breakGlass),
  };
}

/**
 * Checks that a person may sign in by a password. The answer depends on the domain alone, not on whether there is such
 * an account.
 * @throws DeckhandError SSO_REQUIRED.
 */
export function requirePasswordAllowed({ ssoOnlyDomains, breakGlass }: PasswordRules, email: string): void {
  if (!ssoOnlyDomains.has(domainOf(email)) || breakGlass.has(email.toLowerCase())) return;
  throw new DeckhandError('SSO_REQUIRED');
}

/** Returns the domain of an e-mail address, in lower case. */
export function domainOf(email: string): string {
  return email.slice(email.lastIndexOf('@') + 1).toLowerCase();
}

/** An issuer without TLS could be anybody, except on this machine. */
function requireSecure(issuer: string): void {
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined;
  const isLocal = url !== undefined && /^(localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname);
  if (url?.protocol === 'https:' || isLocal) return;
  throw bad('OIDC_ISSUER must be https, except on this machine');
}

function readClientSecret({
  OIDC_CLIENT_SECRET: secret,
  OIDC_CLIENT_SECRET_FILE: file,
}: SignOnSettings): string | undefined {
  if (file === undefined) return secret;
  if (secret !== undefined) throw bad('set OIDC_CLIENT_SECRET or OIDC_CLIENT_SECRET_FILE, not both');
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch (error) {
    const reason = types.isNativeError(error) ? error.message : String(error);
    throw bad(`OIDC_CLIENT_SECRET_FILE cannot be read: ${reason}`);
  }
  if (text === '') throw bad('OIDC_CLIENT_SECRET_FILE is empty');
  return text;
}

function compileRole(text: string | undefined): CompiledTemplate | undefined {
  if (text === undefined) return undefined;
  const compiled = compileTriggerExpression(text);
  if ('message' in compiled) throw bad(`OIDC_ROLE ${compiled.message}`);
  return compiled.template;
}

function readDomains(name: string, list: string | undefined, alsoAllowed?: string): ReadonlySet<string> {
  const domains = listOf(list);
  const wrong = domains.find((domain) => domain !== alsoAllowed && !/^[a-z0-9-]+(\.[a-z0-9-]+)*$/.test(domain));
  if (wrong !== undefined) throw bad(`${name} must name domains such as example.com, not "${wrong}"`);
  return new Set(domains);
}

function listOf(text = ''): string[] {
  return text
    .split(',')
    .map((each) => each.trim().toLowerCase())
    .filter((each) => each !== '');
}

function bad(problem: string): SettingsError {
  return new SettingsError(`Bad settings: ${problem}`);
}
