import {
  type ConnectionEvent,
  type IssuedTokens,
  needsNoPerson,
  type OAuth2Secret,
  parseOwnJson,
  type StoredConnection,
  toCredential,
} from '@deckhand/contracts';
import { type HttpClient, NodeError } from '@deckhand/engine';
import { createFairSemaphore } from '../code/fair-semaphore.ts';
import { untilAborted } from '../network/until-aborted.ts';
import { createProvider, type Issued, type Tokens } from './provider.ts';
import { OAuth2Error } from './provider-request.ts';

/** A connection whose lock this process has, with its encrypted configuration. */
interface Locked extends StoredConnection {
  readonly sealedSecret: string;
}

/** Where connections are stored. */
export interface ConnectionStore {
  /** Undefined if the credential was deleted. */
  read(id: string): Promise<StoredConnection | undefined>;
  /**
   * Locks a connection, lets `decide` ask the provider, and writes what happened; `busy` if another has the lock. May
   * do all of it again after a failure of the store: `decide` does not reject, and asks once for the same tokens.
   */
  change(
    id: string,
    decide: (current: Locked) => Promise<ConnectionEvent | undefined>,
  ): Promise<{ readonly kind: 'done'; readonly connection: StoredConnection } | { readonly kind: 'busy' | 'gone' }>;
}

/** Encrypts tokens. */
interface Box {
  seal(text: string): Promise<string>;
  open(jwe: string): Promise<string>;
}

/** Provides the access tokens of OAuth 2.0 credentials, and has them refreshed once, over all processes. */
export interface TokenKeeper {
  /**
   * Returns the tokens of a connection that was just read, refreshed if they are due.
   * @throws NodeError CREDENTIAL_NOT_FOUND, CREDENTIAL_NOT_CONNECTED, CREDENTIAL_RECONNECT_NEEDED or
   * CREDENTIAL_REFRESH_FAILED; SecretBoxError; the signal's reason once it aborts.
   */
  get(id: string, known: StoredConnection, signal: AbortSignal): Promise<KeptTokens>;
  /**
   * Replaces tokens that a server did not accept.
   * @returns undefined if it cannot: they are new, or belong to a client without a refresh token.
   * @throws as `get` does.
   */
  replace(id: string, refused: KeptTokens, signal: AbortSignal): Promise<KeptTokens | undefined>;
  /**
   * Requests tokens now, whatever the state of the connection: for a person who tries it out. Those that another
   * process obtains meanwhile count as well.
   * @returns the connection afterwards; undefined if it was deleted before.
   * @throws NodeError as `get` does, but not for what the connection itself shows; the signal's reason once it aborts.
   */
  request(id: string, signal: AbortSignal): Promise<StoredConnection | undefined>;
  /** Resolves when no renewal is in progress, or after the time that a provider may take. */
  idle(): Promise<void>;
}

/** Tokens, and their encrypted form, by which they are told apart from later ones. */
export interface KeptTokens extends Tokens {
  readonly sealedTokens: string;
}

/**
 * How many connections one process asks providers for at the same time, and how many of them for one workspace. Each
 * holds a database connection. Silent providers of one workspace leave the others their turn.
 */
const REQUESTS_AT_ONCE = 4;
const REQUESTS_PER_WORKSPACE = 1;
/** How often a process checks a connection whose lock another has, in ms. */
const CHECK_MS = 100;
/** How long a process waits for others, in ms: the time that the holder of the lock may take, and some more. */
const WAIT_MS = 20_000;
/** Tokens younger than this, in ms, are not replaced: a server that refuses every token must not flood the provider. */
const MIN_AGE_MS = 30_000;
/** The provider is not asked again for this time, in ms, after a failure that a person has to mend. */
const LASTING_PAUSE_MS = 30_000;
/** The same after a failure that may pass. Each further one doubles it. */
const PASSING_PAUSE_MS = { first: 2_000, longest: 60_000 } as const;

/**
 * Creates a keeper.
 * @param providerLimitMs how long a provider may take to respond.
 * @param onError called with errors of renewals for which nobody waits, unless the connection itself shows them.
 */
export function createTokenKeeper({
  store,
  box,
  http,
  providerLimitMs,
  onError,
}: {
  readonly store: ConnectionStore;
  readonly box: Box;
  readonly http: HttpClient;
  readonly providerLimitMs: number;
  readonly onError: (error: unknown) => void;
}): TokenKeeper {
  const semaphore = createFairSemaphore(REQUESTS_AT_ONCE, REQUESTS_PER_WORKSPACE);
  /** Renewals in progress, by connection and the tokens that they replace: callers of one share it. */
  const renewals = new Map<string, Promise<StoredConnection>>();

  async function requestTokens({ sealedSecret, sealedTokens, grant, lastPauseMs }: Locked): Promise<ConnectionEvent> {
    try {
      const secret = readSecret(await box.open(sealedSecret));
      const current = sealedTokens === null ? undefined : readTokens(await box.open(sealedTokens));
      const provider = createProvider(secret, { http, signal: AbortSignal.timeout(providerLimitMs) });
      return { kind: 'refreshed', ...(await sealIssued(box, await provider.renew(current))) };
    } catch (error) {
      if (!(error instanceof OAuth2Error)) throw error;
      const { code, message, kind } = error;
      // Nobody could connect a client that acts in its own name: a refusal, such as for a wrong clock, may pass.
      if (kind === 'refused' && !needsNoPerson(grant)) return { kind: 'refused', error: { code, message } };
      const pauseMs = kind === 'passing' ? nextPauseMs(lastPauseMs) : LASTING_PAUSE_MS;
      return { kind: 'failed', error: { code, message }, pauseMs };
    }
  }

  /**
   * Changes a connection by what its provider responds, if it may be asked. The response is kept until it is stored: a
   * provider that rotates refresh tokens gives it once.
   */
  async function change(
    { id, workspaceId }: { readonly id: string; readonly workspaceId: string },
    isAsked: (current: StoredConnection) => boolean,
  ) {
    const release = await semaphore.acquire(workspaceId, AbortSignal.timeout(WAIT_MS), id).catch(() => {
      throw refreshFailed('too many others are requested at the moment', CHECK_MS);
    });
    let asked: { readonly of: Locked; readonly event: Promise<ConnectionEvent> } | undefined;
    try {
      const result = await store.change(id, async (current) => {
        if (!isAsked(current)) return undefined;
        if (!asked || !hasSameSecrets(asked.of, current)) asked = { of: current, event: requestTokens(current) };
        return asked.event.catch(() => undefined);
      });
      // What is wrong with the credential, not with the store.
      await asked?.event;
      return result;
    } finally {
      release();
    }
  }

  /** Renews tokens, or waits until another process has. */
  async function renew(
    id: string,
    { workspaceId, sealedTokens: stale }: StoredConnection,
    isAsked = mayAsk,
  ): Promise<StoredConnection> {
    const deadline = performance.now() + WAIT_MS;
    for (;;) {
      const result = await change({ id, workspaceId }, (current) => !isReplaced(current, stale) && isAsked(current));
      if (result.kind === 'done') return result.connection;
      const connection = result.kind === 'gone' ? undefined : await store.read(id);
      if (!connection)
        throw new NodeError('CREDENTIAL_NOT_FOUND', 'the credential was deleted', { isRetryable: false });
      if (isReplaced(connection, stale) || !isAsked(connection)) return connection;
      if (performance.now() > deadline)
        throw refreshFailed('another process has been refreshing it for too long', CHECK_MS);
      await new Promise((resolve) => setTimeout(resolve, CHECK_MS));
    }
  }

  function renewOnce(id: string, known: StoredConnection): Promise<StoredConnection> {
    const key = `${id} ${known.sealedTokens ?? ''}`;
    const found = renewals.get(key);
    if (found) return found;
    const renewal = renew(id, known).finally(() => renewals.delete(key));
    renewals.set(key, renewal);
    return renewal;
  }

  async function open(connection: StoredConnection): Promise<KeptTokens> {
    const { sealedTokens } = connection;
    if (sealedTokens === null || connection.status !== 'connected' || connection.isExpired) throw toFailure(connection);
    return { ...readTokens(await box.open(sealedTokens)), sealedTokens };
  }

  return {
    async get(id, known, signal) {
      if (known.status !== 'connected' || known.isExpired) {
        // Clients that act in their own name connect when they are used for the first time.
        if (!mayAsk(known)) return open(known);
        return open(await untilAborted(signal, () => renewOnce(id, known)));
      }
      const tokens = await open(known);
      // The tokens are still valid: nobody needs to wait.
      if (known.isDue && mayAsk(known) && canRenew(known, tokens))
        renewOnce(id, known).catch((error: unknown) => {
          if (!(error instanceof NodeError)) onError(error);
        });
      return tokens;
    },
    async replace(id, refused, signal) {
      const { sealedTokens } = refused;
      const known = await store.read(id);
      // A server's 401 says less than a refusal of the provider. Without a refresh token, the connection stays.
      if (!known || !canRenew(known, refused)) return undefined;
      const isNew = known.sealedTokens !== sealedTokens;
      if (!isNew && (known.ageMs ?? 0) < MIN_AGE_MS) return undefined;
      const connection = isNew ? known : await untilAborted(signal, () => renewOnce(id, known));
      const tokens = await open(connection);
      return tokens.sealedTokens === sealedTokens ? undefined : tokens;
    },
    async request(id, signal) {
      const known = await store.read(id);
      return known && untilAborted(signal, () => renew(id, known, () => true));
    },
    async idle() {
      const settled = Promise.allSettled(renewals.values());
      await untilAborted(AbortSignal.timeout(providerLimitMs), () => settled).catch(() => undefined);
    },
  };
}

/** Encrypts what a provider issued. */
export async function sealIssued(
  box: Pick<Box, 'seal'>,
  { tokens, lifetimeMs, scopes }: Issued,
): Promise<IssuedTokens> {
  return { sealedTokens: await box.seal(JSON.stringify(tokens)), lifetimeMs, scopes };
}

/** Reads decrypted tokens. */
export function readTokens(json: string): Tokens {
  return parseOwnJson<Tokens>(json);
}

/** Reads a decrypted configuration. @throws NodeError CREDENTIAL_UNREADABLE */
export function readSecret(json: string): OAuth2Secret {
  const credential = toCredential('oauth2', JSON.parse(json));
  if (credential?.type === 'oauth2') return credential.secret;
  throw new NodeError('CREDENTIAL_UNREADABLE', 'its secret does not have the form of an oauth2 credential', {
    isRetryable: false,
  });
}

/** Whether a connection has other tokens than those to replace. */
function isReplaced({ sealedTokens, status, isExpired }: StoredConnection, stale: string | null): boolean {
  return sealedTokens !== stale && status === 'connected' && !isExpired;
}

/** Whether tokens that nobody has to connect again can be renewed. */
function canRenew({ grant }: StoredConnection, { refreshToken }: Tokens): boolean {
  return refreshToken !== undefined || needsNoPerson(grant);
}

/** Whether a request for the one is the same as for the other. */
function hasSameSecrets(one: Locked, other: Locked): boolean {
  return one.sealedSecret === other.sealedSecret && one.sealedTokens === other.sealedTokens;
}

function nextPauseMs(lastPauseMs: number): number {
  return Math.min(Math.max(2 * lastPauseMs, PASSING_PAUSE_MS.first), PASSING_PAUSE_MS.longest);
}

/** Whether the provider may be asked: not once it has refused, before a person connects, or soon after a failure. */
function mayAsk({ grant, status, pauseMs }: StoredConnection): boolean {
  return pauseMs <= 0 && (status === 'connected' || (status === 'not_connected' && needsNoPerson(grant)));
}

function toFailure({ status, error, pauseMs }: StoredConnection): NodeError {
  const reason = error ? `: ${error.message}` : '';
  if (status === 'reconnect_needed')
    return new NodeError('CREDENTIAL_RECONNECT_NEEDED', `a person must connect the credential again${reason}`, {
      isRetryable: false,
    });
  if (status === 'not_connected' && !error)
    return new NodeError('CREDENTIAL_NOT_CONNECTED', 'nobody has connected the credential yet', { isRetryable: false });
  return refreshFailed(error?.message ?? 'the tokens have expired', pauseMs);
}

function refreshFailed(reason: string, pauseMs: number): NodeError {
  return new NodeError('CREDENTIAL_REFRESH_FAILED', `no token could be obtained: ${reason}`, {
    minRetryDelayMs: pauseMs,
  });
}
