import {
  type Credential,
  type CredentialCircuit,
  type CredentialRateLimit,
  type CredentialType,
  hostOf,
  isAllowedHost,
  serverOf,
  type StoredConnection,
  toCredential,
} from '@deckhand/contracts';
import { NodeError, type OpenedCredential } from '@deckhand/engine';
import { type SecretBox, SecretBoxError } from '@deckhand/runtime';
import type { KeptTokens, TokenKeeper } from '../oauth2/token-keeper.ts';

/** An encrypted credential, and whether its user may use it. */
interface SealedCredential {
  readonly type: CredentialType;
  /** A JWE of the secret as JSON. */
  readonly sealedSecret: string;
  /** Whether it contains an API key, which may only be sent to this instance's API. */
  readonly isApiKey: boolean;
  /** Hosts that it may be sent to, as `isAllowedHost` parses them; empty allows any. */
  readonly allowedHosts: readonly string[];
  readonly rateLimit: CredentialRateLimit | null;
  readonly circuit: CredentialCircuit | null;
  /** Null if the user may use it. */
  readonly refusal: 'ended' | 'private' | 'otherWorkflow' | null;
}

/** What opening credentials needs. `User`: who uses them, such as the version of a run. */
export interface CredentialOpenerParts<User> {
  readonly secretBox: SecretBox;
  /** Reads a credential for its user; undefined if there is none of this id in the workspace. */
  readonly read: (user: User, credentialId: string) => Promise<SealedCredential | undefined>;
  /** Reads the connection of an OAuth 2.0 credential; undefined if it was deleted. */
  readonly readConnection: (credentialId: string) => Promise<StoredConnection | undefined>;
  /** Provides the tokens of OAuth 2.0 credentials. */
  readonly keeper: TokenKeeper;
  /** Records that a connection is used. Never rejects. */
  readonly noteUse: (credentialId: string) => void;
  /** PUBLIC_URL: where this instance is reached, without a slash at the end; undefined if it is not set. */
  readonly publicUrl: string | undefined;
}

/** What a credential is opened for: the URL to which the node sends it, if there is one, and the end of the node. */
export interface CredentialPurpose {
  readonly sentTo: URL | undefined;
  readonly signal: () => AbortSignal;
}

/** Opens a credential for its user. */
export type OpenCredential<User> = (
  user: User,
  credentialId: string,
  purpose: CredentialPurpose,
) => Promise<OpenedCredential>;

/**
 * Creates the function that opens credentials for nodes. Nothing is cached: the next attempt of a node uses a secret
 * that was replaced meanwhile.
 * @returns a function that throws NodeError CREDENTIAL_NOT_FOUND, CREDENTIAL_ENDED, CREDENTIAL_PRIVATE,
 * CREDENTIAL_OTHER_WORKFLOW, CREDENTIAL_HOST or CREDENTIAL_UNREADABLE, and those of the token keeper.
 */
export function createCredentialOpener<User>(parts: CredentialOpenerParts<User>): OpenCredential<User> {
  const { secretBox, read, publicUrl } = parts;
  return async (user, credentialId, { sentTo, signal }) => {
    const sealed = await read(user, credentialId);
    if (!sealed) {
      throw refused(
        'CREDENTIAL_NOT_FOUND',
        `the workspace has no credential ${credentialId}: it may have been deleted`,
      );
    }
    if (sealed.refusal !== null) throw refused(...REFUSALS[sealed.refusal]);
    const credential = toCredential(sealed.type, JSON.parse(await open(secretBox, sealed)));
    if (!credential) throw unreadable(`its secret does not have the form of a ${sealed.type} credential`);
    requireAllowedHost(sealed, credential, sentTo);
    const { rateLimit, circuit } = sealed;
    const limits = rateLimit || circuit ? { traffic: { credentialId, rateLimit, circuit } } : {};
    if (credential.type === 'oauth2') return { ...(await openConnection(parts, credentialId, signal)), ...limits };
    const opened = { ...credential, ...limits };
    if (!sealed.isApiKey) return opened;
    return { ...opened, ownOrigin: requireOwnApi(sentTo, publicUrl).origin };
  };
}

/** Returns the access token of an OAuth 2.0 credential, refreshed if it is due, as a bearer credential. */
async function openConnection(
  { readConnection, keeper, noteUse }: Omit<CredentialOpenerParts<never>, 'read'>,
  id: string,
  signal: () => AbortSignal,
): Promise<OpenedCredential> {
  const known = await readConnection(id);
  if (!known) throw refused('CREDENTIAL_NOT_FOUND', `the workspace has no credential ${id}: it may have been deleted`);
  if (!known.isUseRecorded) noteUse(id);
  return toBearer(await readable(() => keeper.get(id, known, signal())));

  function toBearer(tokens: KeptTokens): OpenedCredential {
    return {
      type: 'bearer',
      secret: { token: tokens.accessToken },
      async renew() {
        const renewed = await readable(() => keeper.replace(id, tokens, signal()));
        return renewed && toBearer(renewed);
      },
    };
  }
}

const REFUSALS: Readonly<Record<NonNullable<SealedCredential['refusal']>, readonly [code: string, message: string]>> = {
  ended: ['CREDENTIAL_ENDED', 'the credential holds an API key that was revoked or has expired'],
  private: [
    'CREDENTIAL_PRIVATE',
    'the credential is private to a person other than the one who saved this version of the workflow',
  ],
  otherWorkflow: ['CREDENTIAL_OTHER_WORKFLOW', 'the credential is for other workflows than this one'],
};

/** Throws if a credential that is limited to hosts would be sent elsewhere, or is used without being sent. */
function requireAllowedHost({ allowedHosts }: SealedCredential, credential: Credential, sentTo: URL | undefined): void {
  if (allowedHosts.length === 0) return;
  const server = serverOf(credential) ?? (sentTo && hostOf(sentTo));
  if (server && isAllowedHost(server, allowedHosts)) return;
  const target = server ? `${server.host}:${server.port}` : 'a node that sends it to no host';
  throw refused('CREDENTIAL_HOST', `the credential is for ${allowedHosts.join(', ')}, not for ${target}`);
}

/** Throws unless an API key is sent to this instance's API: anybody else who receives it could act as its owner. */
function requireOwnApi(sentTo: URL | undefined, publicUrl: string | undefined): URL {
  const api = publicUrl === undefined ? undefined : new URL(`${publicUrl}/api/`);
  if (api && sentTo?.origin === api.origin && sentTo.pathname.startsWith(api.pathname)) return sentTo;
  const own = api?.href ?? 'unknown, because PUBLIC_URL is not set on this worker';
  throw refused(
    'CREDENTIAL_HOST',
    `the credential holds an API key, which may be sent only to this instance's API: ${own}`,
  );
}

function refused(code: string, message: string): NodeError {
  return new NodeError(code, message, { isRetryable: false });
}

function open(secretBox: SecretBox, { sealedSecret }: SealedCredential): Promise<string> {
  return readable(() => secretBox.open(sealedSecret));
}

async function readable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof SecretBoxError) throw unreadable(error.message);
    throw error;
  }
}

function unreadable(reason: string): NodeError {
  return refused('CREDENTIAL_UNREADABLE', `the credential cannot be opened: ${reason}`);
}
