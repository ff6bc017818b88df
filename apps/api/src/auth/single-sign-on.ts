import { DeckhandError, type JsonObject, SIGN_ON_ROLES, type User } from '@deckhand/contracts';
import { type Database, deleteSession, readSealedIdToken, signOn, type SignOnPolicy } from '@deckhand/db';
import { evaluateOnTrigger, OAuth2Error, type SignedOn, type SignOnProvider } from '@deckhand/nodes';
import { type SecretBox, SecretBoxError } from '@deckhand/runtime';
import type { Request } from 'express';
import { originOf } from '../http/caller-address.ts';
import type { SessionOrigin } from './open-session.ts';
import type { SignOnAttempts } from './sign-on-attempts.ts';
import { domainOf, type SignOnConfiguration } from './sign-on-settings.ts';

/** Longer ID tokens are not kept for signing out, in characters. */
const MAX_KEPT_TOKEN_LENGTH = 16_384;
const MAX_NAME_LENGTH = 200;
const MAX_EMAIL_LENGTH = 254;

/** Signs people in by an identity provider. */
export interface SingleSignOn {
  /** What the button of the sign-in says. */
  readonly label: string;
  /**
   * Starts a sign-in. @param browser the secret of the browser's cookie.
   * @returns the provider's page. @throws DeckhandError SSO_FAILED
   */
  start(browser: string, next: string | null): Promise<string>;
  /**
   * Finishes a sign-in by the query of the redirect back. @returns who signs in; the caller opens the session.
   * @throws DeckhandError SSO_FAILED; SSO_REFUSED if the person has no access.
   */
  finish(
    request: Request,
    given: { readonly parameters: URLSearchParams; readonly browser: string },
  ): Promise<{ readonly user: User; readonly by: SessionOrigin; readonly next: string | null }>;
  /** Ends a session. @returns the page that ends the one of the provider by which it was opened; null if none does. */
  signOff(sessionId: string): Promise<string | null>;
}

/** Creates single sign-on. @param publicUrl the address of the service, without a slash at the end. */
export function createSingleSignOn({
  db,
  secretBox,
  attempts,
  provider,
  configuration,
  breakGlass,
  publicUrl,
}: {
  readonly db: Database;
  readonly secretBox: SecretBox;
  readonly attempts: SignOnAttempts;
  readonly provider: SignOnProvider;
  readonly configuration: SignOnConfiguration;
  /** Addresses, in lower case, whose accounts keep their password. */
  readonly breakGlass: ReadonlySet<string>;
  readonly publicUrl: string;
}): SingleSignOn {
  return {
    label: configuration.label,
    async start(browser, next) {
      const attempt = await attempts.start(browser, next);
      return reported(() => provider.authorizationUrl(attempt));
    },
    async finish(request, { parameters, browser }) {
      const attempt = await attempts.take(parameters.get('state') ?? '', browser);
      if (!attempt) {
        throw new DeckhandError('SSO_FAILED', {
          message: 'This sign-in has expired, was used, or was started in another browser: start it again',
        });
      }
      const signedOn = await reported(() => provider.signOn(parameters, attempt));
      const { addressClaims } = signedOn;
      const email = readEmail(addressClaims);
      const verifiedEmail = isVerified(addressClaims, configuration.verifiedClaim) ? email : undefined;
      requireDomain(configuration, verifiedEmail);
      const { user, identityId } = await signOn(
        db,
        {
          issuer: signedOn.issuer,
          subject: signedOn.subject,
          verifiedEmail,
          name: readName(signedOn.claims, email),
        },
        { ...policyOf(configuration, signedOn), breakGlass },
        originOf(request, null),
      );
      const isKept = signedOn.idToken.length <= MAX_KEPT_TOKEN_LENGTH;
      const sealedIdToken = isKept ? await secretBox.seal(signedOn.idToken) : null;
      return { user, by: { identityId, sealedIdToken }, next: attempt.next };
    },
    async signOff(sessionId) {
      const { isSignedOn, sealedIdToken } = await readSealedIdToken(db, sessionId);
      // Signing out here depends neither on the provider nor on keys.
      await deleteSession(db, sessionId);
      if (!isSignedOn) return null;
      const idToken = sealedIdToken === null ? undefined : await openHint(secretBox, sealedIdToken);
      const page = await provider
        .endSessionUrl({ idToken, returnUrl: `${publicUrl}/sign-in` })
        .catch((error: unknown) => {
          if (error instanceof OAuth2Error) return undefined;
          throw error;
        });
      return page ?? null;
    },
  };
}

/** Returns undefined for a token whose key was removed: it is a hint only. */
async function openHint(secretBox: SecretBox, sealed: string): Promise<string | undefined> {
  try {
    return await secretBox.open(sealed);
  } catch (error) {
    if (error instanceof SecretBoxError) return undefined;
    throw error;
  }
}

/** @throws DeckhandError SSO_REFUSED for a domain that is not allowed. */
function requireDomain({ allowedDomains }: SignOnConfiguration, verifiedEmail: string | undefined): void {
  if (allowedDomains.size === 0 || allowedDomains.has('*')) return;
  if (verifiedEmail !== undefined && allowedDomains.has(domainOf(verifiedEmail))) return;
  throw new DeckhandError('SSO_REFUSED', { message: 'This needs a verified address of a domain that is allowed here' });
}

/** @throws DeckhandError SSO_REFUSED if the expression gives what is not a role. */
function policyOf(configuration: SignOnConfiguration, { claims }: SignedOn): Omit<SignOnPolicy, 'breakGlass'> {
  const { allowedDomains, workspaceId, defaultRole, role } = configuration;
  return {
    createsAccounts: allowedDomains.size > 0,
    workspaceId,
    firstRole: defaultRole,
    role: role === undefined ? undefined : toRole(evaluateOnTrigger(role, claims)),
  };
}

function toRole(evaluated: ReturnType<typeof evaluateOnTrigger>): (typeof SIGN_ON_ROLES)[number] | null {
  const value = 'value' in evaluated ? evaluated.value : undefined;
  if (value === null) return null;
  const role = SIGN_ON_ROLES.find((each) => each === value);
  if (role !== undefined) return role;
  const reason = 'failure' in evaluated ? evaluated.failure : `OIDC_ROLE gave none of ${SIGN_ON_ROLES.join(', ')}`;
  throw new DeckhandError('SSO_REFUSED', { message: `Your role cannot be determined: ${reason}` });
}

function readEmail({ email }: JsonObject): string | undefined {
  const isAddress =
    typeof email === 'string' && email.length <= MAX_EMAIL_LENGTH && /^[^@\s\p{C}]+@[^@\s\p{C}]+$/u.test(email);
  return isAddress ? email : undefined;
}

/** Some providers write it as text or as a number. */
function isVerified(claims: JsonObject, name: string): boolean {
  const value = Object.hasOwn(claims, name) ? claims[name] : undefined;
  return value === true || value === 'true' || value === 1 || value === '1';
}

function readName({ name }: JsonObject, email: string | undefined): string {
  const text = typeof name === 'string' ? name.replace(/[\s\p{C}]+/gu, ' ').trim() : '';
  return Array.from(text === '' ? (email ?? 'Unknown') : text)
    .slice(0, MAX_NAME_LENGTH)
    .join('');
}

/** Reports errors of the provider to the person, as SSO_FAILED. */
async function reported<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof OAuth2Error)) throw error;
    throw new DeckhandError('SSO_FAILED', { message: error.message, cause: error });
  }
}
