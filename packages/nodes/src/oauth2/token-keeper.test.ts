import {
  type ConnectionEvent,
  nextConnectionStatus,
  type OAuth2Secret,
  type StoredConnection,
} from '@deckhand/contracts';
import { afterAll, beforeAll, beforeEach, expect, it, jest } from '@jest/globals';
import { stopAll } from '../../../../tests/harness/cleanup.ts';
import { serve, type Served } from '../../../../tests/harness/serve.ts';
import { until } from '../../../../tests/harness/until.ts';
import { createHttpClient } from '../http/client.ts';
import { createTokenKeeper, type KeptTokens, type TokenKeeper } from './token-keeper.ts';

/** The provider: how it responds, and how often it was asked. */
let provider: Served;
let status: number;
let requests: number;
let stored: StoredConnection;
/** How often the row is locked by somebody else, before it is free. */
let busy: number;
/** How often the store fails after a change was decided, before it is available again. */
let failures: number;
let grant: OAuth2Secret['grant'];
let errors: unknown[];
let keeper: TokenKeeper;

const http = createHttpClient({ allowPrivate: true });
const box = { seal: (text: string) => Promise.resolve(text), open: (text: string) => Promise.resolve(text) };
const tokensOf = (accessToken: string) => JSON.stringify({ accessToken, refreshToken: 'refresh' });
const signal = AbortSignal.timeout(60_000);

beforeAll(async () => {
  provider = await serve((_request, response) => {
    requests += 1;
    const body = { access_token: `access-${requests}`, token_type: 'bearer', expires_in: 60 };
    const refusal = status === 400 ? { error: 'invalid_grant' } : {};
    response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(JSON.stringify(status === 200 ? body : refusal));
  });
});
afterAll(stopAll);

beforeEach(() => {
  [status, requests, busy, failures, grant, errors] = [200, 0, 0, 0, 'authorizationCode', []];
  stored = {
    ...{ workspaceId: 'w', grant, status: 'connected', sealedTokens: tokensOf('old') },
    ...{ isDue: true, isExpired: true, ageMs: 3_600_000, pauseMs: 0, lastPauseMs: 0, error: null, isUseRecorded: true },
  };
  const secretOf = (): OAuth2Secret => ({
    ...{ grant, clientId: 'c', tokenUrl: `${provider.url}/token` },
    ...(grant === 'authorizationCode' ? { authorizationUrl: 'https://login.example/authorize' } : {}),
    ...(grant === 'clientCredentials' ? { clientSecret: 's' } : {}),
  });
  keeper = createTokenKeeper({
    ...{ box, http, providerLimitMs: 30_000, onError: (error) => errors.push(error) },
    store: {
      read: () => Promise.resolve(stored),
      async change(_id, decide) {
        if (busy > 0) {
          busy -= 1;
          // The holder of the lock is done in the meantime.
          if (busy === 0)
            stored = after(stored, {
              kind: 'refreshed',
              sealedTokens: tokensOf('theirs'),
              lifetimeMs: null,
              scopes: [],
            });
          return { kind: 'busy' };
        }
        const locked = () => ({ ...stored, sealedSecret: JSON.stringify(secretOf()) });
        let event = await decide(locked());
        for (; failures > 0; failures -= 1) event = await decide(locked());
        if (event) stored = after(stored, event);
        return { kind: 'done', connection: stored };
      },
    },
  });
});

/** What the store has after an event. */
function after(before: StoredConnection, event: ConnectionEvent): StoredConnection {
  const next = { ...before, ...nextConnectionStatus(before.status, event.kind) };
  if (event.kind === 'connected' || event.kind === 'refreshed')
    return { ...next, sealedTokens: event.sealedTokens, isDue: false, isExpired: false, ageMs: 0, error: null };
  return event.kind === 'failed'
    ? { ...next, error: event.error, pauseMs: event.pauseMs, lastPauseMs: event.pauseMs }
    : next;
}

const get = async () => (await keeper.get('id', stored, signal)).accessToken;

it('asks the provider once for callers of one process', async () => {
  expect(await Promise.all([get(), get(), get()])).toEqual(['access-1', 'access-1', 'access-1']);
  expect(requests).toBe(1);
});

it('uses the tokens of another process that had the lock', async () => {
  busy = 2;
  expect(await get()).toBe('theirs');
  expect(requests).toBe(0);
});

it('lets a person request tokens now, though another process has the lock, or the provider is not to be asked', async () => {
  [busy, stored] = [2, { ...stored, status: 'not_connected', sealedTokens: null }];
  expect(await keeper.request('id', signal)).toMatchObject({ status: 'connected', sealedTokens: tokensOf('theirs') });
  expect(requests).toBe(0);
  stored = { ...stored, pauseMs: 30_000 };
  await keeper.request('id', signal);
  expect(requests).toBe(1);
});

it('fails all callers by one request while the provider is down, and asks it again after a pause', async () => {
  status = 503;
  const failure = { code: 'CREDENTIAL_REFRESH_FAILED', isRetryable: true, minRetryDelayMs: 2_000 };
  await Promise.all(Array.from({ length: 20 }, () => expect(get()).rejects.toMatchObject(failure)));
  await expect(get()).rejects.toMatchObject(failure);
  expect(requests).toBe(1);
  [status, stored] = [200, { ...stored, pauseMs: 0 }];
  expect(await get()).toBe('access-2');
});

it.each([
  [0, 2_000],
  [2_000, 4_000],
  [60_000, 60_000],
])('pauses after a pause of %d ms for %d ms when the provider is still down', async (lastPauseMs, pauseMs) => {
  [status, stored] = [503, { ...stored, lastPauseMs }];
  await expect(get()).rejects.toMatchObject({ minRetryDelayMs: pauseMs });
});

it('asks the provider once, though the store fails when the tokens are written', async () => {
  failures = 3;
  expect(await get()).toBe('access-1');
  expect(requests).toBe(1);
});

it('fails for a configuration that cannot be read, without trying it again', async () => {
  stored = { ...stored, sealedTokens: 'not JSON' };
  await expect(get()).rejects.toBeInstanceOf(SyntaxError);
});

it('asks for the credentials of one workspace one at a time, and of others meanwhile', async () => {
  const inProgress = new Map<string, number>();
  const most = new Map<string, number>();
  const gate = Promise.withResolvers<undefined>();
  const read = (id: string): StoredConnection => ({ ...stored, workspaceId: id.slice(0, 1) });
  const others = createTokenKeeper({
    ...{ box, http, providerLimitMs: 30_000, onError: (error) => errors.push(error) },
    store: {
      read: (id) => Promise.resolve(read(id)),
      async change(id) {
        const { workspaceId } = read(id);
        const count = (inProgress.get(workspaceId) ?? 0) + 1;
        inProgress.set(workspaceId, count);
        most.set(workspaceId, Math.max(count, most.get(workspaceId) ?? 0));
        if (workspaceId === 'a') await gate.promise;
        inProgress.set(workspaceId, count - 1);
        return { kind: 'done', connection: { ...read(id), isExpired: false, sealedTokens: tokensOf(id) } };
      },
    },
  });
  const ask = async (id: string) => (await others.get(id, read(id), signal)).accessToken;
  const silent = ['a1', 'a2', 'a3', 'a4', 'a5', 'a6'].map(ask);
  expect(await ask('b1')).toBe('b1');
  gate.resolve(undefined);
  expect(await Promise.all(silent)).toEqual(['a1', 'a2', 'a3', 'a4', 'a5', 'a6']);
  expect(most.get('a')).toBe(1);
});

it('is idle once the tokens that nobody waits for are renewed', async () => {
  stored = { ...stored, isExpired: false };
  expect(await get()).toBe('old');
  await keeper.idle();
  expect(requests).toBe(1);
  expect(await get()).toBe('access-1');
});

it('reports an error of the program that renews tokens in the background', async () => {
  stored = { ...stored, isExpired: false };
  jest.spyOn(box, 'seal').mockRejectedValueOnce(new Error('no key'));
  await get();
  await keeper.idle();
  expect(errors).toMatchObject([{ message: 'no key' }]);
});

it('leaves tokens without a refresh token until they expire', async () => {
  stored = { ...stored, isExpired: false, sealedTokens: JSON.stringify({ accessToken: 'last' }) };
  expect(await get()).toBe('last');
  await keeper.idle();
  expect(stored.status).toBe('connected');
  stored = { ...stored, isExpired: true };
  await expect(get()).rejects.toMatchObject({ code: 'CREDENTIAL_RECONNECT_NEEDED' });
});

it('asks again for a client that acts in its own name though the provider refused it: nobody could connect it', async () => {
  grant = 'clientCredentials';
  [status, stored] = [400, { ...stored, grant }];
  await expect(get()).rejects.toMatchObject({ code: 'CREDENTIAL_REFRESH_FAILED', minRetryDelayMs: 30_000 });
  expect(stored.status).toBe('connected');
});

it('waits for nobody while the tokens are valid, though the provider is down', async () => {
  status = 503;
  stored = { ...stored, isExpired: false };
  expect(await get()).toBe('old');
  // It was tried meanwhile.
  await until(() => stored.error !== null);
});

it('does not connect what a person has to connect', async () => {
  stored = { ...stored, status: 'not_connected', sealedTokens: null };
  await expect(get()).rejects.toMatchObject({ code: 'CREDENTIAL_NOT_CONNECTED', isRetryable: false });
  expect(requests).toBe(0);
});

it.each<[string, Partial<StoredConnection>, Partial<KeptTokens>, string | undefined]>([
  ['replaces', {}, {}, 'access-1'],
  ['takes those of another process for', { sealedTokens: tokensOf('newer') }, {}, 'newer'],
  ['leaves young ones in place of', { ageMs: 1_000 }, {}, undefined],
  ['cannot replace, without a refresh token,', {}, { refreshToken: undefined }, undefined],
])('%s tokens that a server refuses', async (_what, changes, tokens, expected) => {
  const refused = { accessToken: 'old', refreshToken: 'refresh', sealedTokens: tokensOf('old'), ...tokens };
  stored = { ...stored, isDue: false, isExpired: false, ...changes };
  expect((await keeper.replace('id', refused, signal))?.accessToken).toBe(expected);
});
