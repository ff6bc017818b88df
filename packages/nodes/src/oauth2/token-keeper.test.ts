import {
  type ConnectionEvent,
  nextConnectionStatus,
  type OAuth2Secret,
  type StoredConnection,
} from '@deckhand/contracts';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
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
let keeper: TokenKeeper;

const http = createHttpClient({ allowPrivate: true });
const box = { seal: (text: string) => Promise.resolve(text), open: (text: string) => Promise.resolve(text) };
const tokensOf = (accessToken: string) => JSON.stringify({ accessToken, refreshToken: 'refresh' });
const signal = AbortSignal.timeout(60_000);

beforeAll(async () => {
  provider = await serve((_request, response) => {
    requests += 1;
    const body = { access_token: `access-${requests}`, token_type: 'bearer', expires_in: 60 };
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(status === 200 ? body : {}));
  });
});
afterAll(stopAll);

beforeEach(() => {
  [status, requests, busy] = [200, 0, 0];
  stored = {
    ...{ grant: 'authorizationCode', status: 'connected', sealedTokens: tokensOf('old') },
    ...{ isDue: true, isExpired: true, ageMs: 3_600_000, pauseMs: 0, error: null, isUseRecorded: true },
  };
  const secret: OAuth2Secret = {
    ...{ grant: 'authorizationCode', clientId: 'c', tokenUrl: `${provider.url}/token` },
    authorizationUrl: 'https://login.example/authorize',
  };
  keeper = createTokenKeeper({
    ...{ box, http, providerLimitMs: 30_000 },
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
        const event = await decide({ ...stored, sealedSecret: JSON.stringify(secret) });
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
  return event.kind === 'failed' ? { ...next, error: event.error, pauseMs: event.pauseMs } : next;
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

it('fails all callers by one request while the provider is down, and asks it again after a pause', async () => {
  status = 503;
  const failure = { code: 'CREDENTIAL_REFRESH_FAILED', isRetryable: true, minRetryDelayMs: 2_000 };
  await Promise.all(Array.from({ length: 20 }, () => expect(get()).rejects.toMatchObject(failure)));
  await expect(get()).rejects.toMatchObject(failure);
  expect(requests).toBe(1);
  [status, stored] = [200, { ...stored, pauseMs: 0 }];
  expect(await get()).toBe('access-2');
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
