import { DeckhandError, type OAuth2Secret, type PolledConnection, type StartedConnection } from '@deckhand/contracts';
import {
  type ConnectableCredential,
  type Database,
  findConnectable,
  PROVIDER_LIMIT_MS,
  storeConnection,
} from '@deckhand/db';
import { type HttpClient, NodeError } from '@deckhand/engine';
import {
  createProvider,
  OAuth2Error,
  type Provider,
  readSecret,
  readTokens,
  sealIssued,
  type TokenKeeper,
} from '@deckhand/nodes';
import { type Logger, type SecretBox, SecretBoxError } from '@deckhand/runtime';
import { randomBytes } from 'node:crypto';
import type { Caller } from '../auth/caller.ts';
import {
  type AttemptHolder,
  type ConnectionAttempt,
  type ConnectionAttempts,
  digestOf,
} from './connection-attempts.ts';

/** Time from the start to the redirect back, in seconds. */
const REDIRECT_SECONDS = 600;
/**
 * How often the provider is asked about a device code at most, in seconds, and by how much the time between requests
 * grows whenever it wants fewer of them (RFC 8628, section 3.5).
 */
const POLL_SECONDS = 5;
/** How long the deletion of a credential waits for its revocation, in ms. */
const REVOCATION_LIMIT_MS = 3_000;

/** Connects OAuth 2.0 credentials for people. */
export interface Connections {
  /** @throws DeckhandError as `findConnectable` does; CONNECTION_FAILED. */
  start(caller: Caller, id: string): Promise<StartedConnection>;
  /**
   * Asks whether the person has entered the code.
   * @throws DeckhandError as `start` does; NOT_FOUND for an attempt that has expired, or is of somebody else.
   */
  poll(caller: Caller, id: string, attempt: string): Promise<PolledConnection>;
  /**
   * Finishes an attempt by the redirect back from the provider.
   * @throws DeckhandError as `poll` does; CONFLICT if the credential was changed meanwhile.
   */
  finish(
    caller: Caller,
    parameters: URLSearchParams,
  ): Promise<{ credentialId: string; workspaceId: string; name: string }>;
  /** Revokes the tokens of a deleted credential, if its provider can. Never rejects, and gives up after 3 s. */
  revoke(deleted: { readonly sealedSecret: string; readonly sealedTokens: string | null }): Promise<void>;
}

/** Creates the connections. @param publicUrl the address of the service, without a slash at the end. */
export function createConnections({
  db,
  secretBox,
  http,
  keeper,
  attempts,
  publicUrl,
  logger,
}: {
  readonly db: Database;
  readonly secretBox: SecretBox;
  readonly http: HttpClient;
  readonly keeper: TokenKeeper;
  readonly attempts: ConnectionAttempts;
  readonly publicUrl: string;
  readonly logger: Logger;
}): Connections {
  const redirectUrl = `${publicUrl}/oauth/callback`;
  const providerOf = (secret: OAuth2Secret, limitMs = PROVIDER_LIMIT_MS): Provider =>
    createProvider(secret, { http, signal: AbortSignal.timeout(limitMs) });

  async function startRedirect(secret: OAuth2Secret, attempt: ConnectionAttempt): Promise<StartedConnection> {
    const state = await attempts.start(attempt, REDIRECT_SECONDS);
    const request = { redirectUrl, state, codeVerifier: attempt.proof };
    const authorizationUrl = await providerOf(secret).authorizationUrl(request);
    return { kind: 'redirect', authorizationUrl, redirectUrl, expiresAt: inSeconds(REDIRECT_SECONDS) };
  }

  async function startDevice(secret: OAuth2Secret, attempt: ConnectionAttempt): Promise<StartedConnection> {
    const offer = await reported(() => providerOf(secret).startDevice());
    const { deviceCode, userCode, verificationUrl, pollSeconds, lifetimeSeconds } = offer;
    const paced = { proof: deviceCode, pollSeconds: Math.max(pollSeconds, POLL_SECONDS) };
    const name = await attempts.start({ ...attempt, ...paced }, lifetimeSeconds);
    return {
      ...{ kind: 'device', attempt: name, userCode, verificationUrl, pollSeconds: paced.pollSeconds },
      expiresAt: inSeconds(lifetimeSeconds),
    };
  }

  async function requestNow(id: string): Promise<StartedConnection> {
    const patience = AbortSignal.timeout(2 * PROVIDER_LIMIT_MS);
    const connection = await reported(() => keeper.request(id, patience)).catch((error: unknown) => {
      if (!patience.aborted) throw error;
      throw new DeckhandError('CONNECTION_FAILED', { message: 'The provider did not respond in time' });
    });
    if (!connection) throw new DeckhandError('NOT_FOUND', { message: 'No such credential' });
    const { status, error } = connection;
    if (error || status !== 'connected')
      throw new DeckhandError('CONNECTION_FAILED', { message: error?.message ?? 'The provider issued no token' });
    return { kind: 'connected' };
  }

  /** Reads the credential of an attempt, if it is configured as it was. */
  async function configuredAs(caller: Caller, { credentialId, configured }: ConnectionAttempt) {
    const credential = await findConnectable(db, caller, credentialId);
    if (digestOf(credential.sealedSecret) !== configured)
      throw new DeckhandError('CONFLICT', { message: 'The credential was changed meanwhile: connect it again' });
    return { credential, secret: await openSecret(credential) };
  }

  async function openSecret({ sealedSecret }: Pick<ConnectableCredential, 'sealedSecret'>): Promise<OAuth2Secret> {
    return reported(async () => readSecret(await secretBox.open(sealedSecret)));
  }

  return {
    async start(caller, id) {
      const credential = await findConnectable(db, caller, id);
      const secret = await openSecret(credential);
      const attempt: ConnectionAttempt = {
        ...{ credentialId: id, ...holderOf(caller), configured: digestOf(credential.sealedSecret) },
        proof: randomBytes(32).toString('base64url'),
      };
      switch (secret.grant) {
        case 'authorizationCode':
          return startRedirect(secret, attempt);
        case 'deviceCode':
          return startDevice(secret, attempt);
        default:
          return requestNow(id);
      }
    },
    async poll(caller, id, name) {
      await findConnectable(db, caller, id);
      const attempt = await attempts.find(name, holderOf(caller));
      if (attempt?.credentialId !== id) throw noSuchAttempt();
      const { credential, secret } = await configuredAs(caller, attempt);
      const { proof, pollSeconds = POLL_SECONDS } = attempt;
      if (!(await attempts.mayPoll(name, pollSeconds))) return { state: 'pending', pollSeconds };
      const issued = await reported(() => providerOf(secret).pollDevice(proof));
      if (issued === 'pending') return { state: 'pending', pollSeconds };
      if (issued === 'slower') {
        const slower = pollSeconds + POLL_SECONDS;
        await attempts.slowDown(name, attempt, slower);
        return { state: 'pending', pollSeconds: slower };
      }
      await attempts.use(name);
      const tokens = await sealIssued(secretBox, issued);
      await storeConnection(db, caller, id, { sealedSecret: credential.sealedSecret, tokens });
      return { state: 'connected' };
    },
    async finish(caller, parameters) {
      const state = parameters.get('state') ?? '';
      const attempt = await attempts.find(state, holderOf(caller));
      if (!attempt || !(await attempts.use(state))) throw noSuchAttempt();
      const { credential, secret } = await configuredAs(caller, attempt);
      const request = { redirectUrl, state, codeVerifier: attempt.proof };
      const issued = await reported(() => providerOf(secret).exchange(parameters, request));
      const tokens = await sealIssued(secretBox, issued);
      const { credentialId } = attempt;
      await storeConnection(db, caller, credentialId, { sealedSecret: credential.sealedSecret, tokens });
      return { credentialId, workspaceId: credential.workspaceId, name: credential.name };
    },
    async revoke({ sealedSecret, sealedTokens }) {
      if (sealedTokens === null) return;
      try {
        const secret = readSecret(await secretBox.open(sealedSecret));
        if (secret.revocationUrl === undefined) return;
        const { accessToken, refreshToken } = readTokens(await secretBox.open(sealedTokens));
        const provider = providerOf(secret, REVOCATION_LIMIT_MS);
        await (refreshToken === undefined
          ? provider.revoke(accessToken, 'access_token')
          : provider.revoke(refreshToken, 'refresh_token'));
      } catch (err) {
        logger.warn({ err }, 'failed to revoke the tokens of a deleted credential');
      }
    },
  };
}

function holderOf(caller: Caller): AttemptHolder {
  return { userId: caller.userId, sessionId: caller.kind === 'session' ? caller.sessionId : null };
}

function inSeconds(seconds: number): string {
  return new Date(Date.now() + seconds * 1_000).toISOString();
}

/** The same for one that never was, has expired, was used, or is of somebody else. */
function noSuchAttempt(): DeckhandError {
  return new DeckhandError('NOT_FOUND', {
    message: 'This attempt to connect does not exist, has expired or was used: connect the credential again',
  });
}

/** Reports what a provider did not do to the caller. @throws DeckhandError CONNECTION_FAILED */
async function reported<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof OAuth2Error || error instanceof NodeError)
      throw new DeckhandError('CONNECTION_FAILED', { message: error.message });
    if (error instanceof SecretBoxError)
      throw new DeckhandError('CONNECTION_FAILED', { message: 'The credential cannot be decrypted', cause: error });
    throw error;
  }
}
