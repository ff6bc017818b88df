import type { Request } from 'express';
import { type Credential, DeckhandError, tokensOf } from '@deckhand/contracts';
import { headerText, isSameSecret } from '@deckhand/runtime';
import type { WebhookTarget } from './find-target.ts';
import type { CredentialReader } from './read-credential.ts';
import { readSignature } from './signature.ts';

/** Header of the trigger's secret. */
const SECRET_HEADER = 'x-webhook-secret';
/** Header of a key whose credential names none. */
const DEFAULT_KEY_HEADER = 'x-api-key';

/** An admitted caller. */
export interface CheckedCaller {
  /** Names of the headers that were checked, in lower case. Runs do not keep them. */
  readonly secretHeaders: readonly string[];
}

/** What the check of a caller needs. */
export interface CallerServices {
  readonly readCredential: CredentialReader;
  /** Reads the body of the request; may be called again. */
  readonly readBytes: () => Promise<Buffer>;
  /** Start of the URLs of webhooks. */
  readonly webhookBaseUrl: string;
}

/**
 * Checks that a caller has everything that the trigger requires: its secret, and the credential of its authentication
 * or a signature made with it. The body is read for a signature only, and only if everything else is right.
 * @throws DeckhandError UNAUTHORIZED, which is the same for every cause; the errors of `readBytes`.
 */
export async function checkCaller(
  request: Request,
  { settings, workspaceId, versionId: workflowVersionId }: WebhookTarget,
  { readCredential, readBytes, webhookBaseUrl }: CallerServices,
): Promise<CheckedCaller> {
  const { secrets, authentication, credentialId, signature } = settings;
  const ownSecret = secrets.length === 0 ? [] : [SECRET_HEADER];
  // All secrets are compared, so that the time does not reveal which one matched.
  const fitting = secrets.filter((secret) => isSent(request.headers[SECRET_HEADER], secret));
  const isSecretRight = secrets.length === 0 || fitting.length > 0;
  if (authentication === 'none' && !isSecretRight) throw refusal();
  if (authentication === 'none' && !signature) return { secretHeaders: ownSecret };
  const version = { workspaceId, workflowVersionId };
  const credential = credentialId === undefined ? undefined : await readCredential(version, credentialId);
  if (signature) {
    const { method, originalUrl, headersDistinct: headers } = request;
    const verify = readSignature({ method, url: `${webhookBaseUrl}${originalUrl}`, headers }, signature, Date.now());
    if (!verify || credential?.type !== 'bearer') throw refusal();
    if (!(await verify(await readBytes(), tokensOf(credential.secret)))) throw refusal();
  }
  if (authentication === 'none') return { secretHeaders: ownSecret };
  const isKnown = credential?.type === authentication && isPresented(request, credential);
  if (!isSecretRight || !isKnown) throw refusal(authentication);
  const credentialHeader = credential.type === 'apiKey' ? keyHeader(credential) : 'authorization';
  return { secretHeaders: [...ownSecret, credentialHeader] };
}

function isPresented({ headers }: Request, credential: Credential): boolean {
  switch (credential.type) {
    case 'basic': {
      const given = /^Basic +([A-Za-z0-9+/=]+)$/i.exec(headers.authorization ?? '')?.[1];
      const { username, password } = credential.secret;
      return isSent(given && Buffer.from(given, 'base64').toString('latin1'), `${username}:${password}`);
    }
    case 'bearer': {
      const given = /^Bearer +(.+)$/i.exec(headers.authorization ?? '')?.[1];
      return tokensOf(credential.secret).filter((token) => isSent(given, token)).length > 0;
    }
    case 'apiKey':
      return isSent(headers[keyHeader(credential)], credential.secret.value);
    default:
      return false;
  }
}

/**
 * Returns true if a secret was sent, in UTF-8 or in Latin-1: senders encode what is not ASCII in either way.
 * @param given the sent bytes as Latin-1 characters.
 */
function isSent(given: string | string[] | undefined, secret: string): boolean {
  if (typeof given !== 'string') return false;
  // Both are compared, so that the time does not reveal which one matched.
  const [isUtf8, isLatin1] = [isSameSecret(headerText(given), secret), isSameSecret(given, secret)];
  return isUtf8 || isLatin1;
}

function keyHeader({ secret }: Extract<Credential, { type: 'apiKey' }>): string {
  return (secret.header ?? DEFAULT_KEY_HEADER).toLowerCase();
}

function refusal(authentication?: 'basic' | 'bearer' | 'apiKey'): DeckhandError {
  const scheme = authentication === 'basic' ? 'Basic' : authentication === 'bearer' ? 'Bearer' : undefined;
  return new DeckhandError('UNAUTHORIZED', {
    ...(scheme === undefined ? {} : { headers: { 'WWW-Authenticate': `${scheme} realm="webhook"` } }),
  });
}
