import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  changeConnection,
  createDatabase,
  deleteCredential,
  listSealed,
  PROVIDER_LIMIT_MS,
  readConnection,
  resealSecrets,
} from '@deckhand/db';
import { createHttpClient, createTokenKeeper, type TokenKeeper } from '@deckhand/nodes';
import { createSecretBox } from '@deckhand/runtime';
import {
  addPerson,
  callWithKey,
  chain,
  createWorkflow,
  type Instance,
  OWNER,
  startInstance,
  startTestWorker,
  stopAll,
  stopLater,
  TEST_ENCRYPTION_KEY,
  until,
} from '../../harness/index.ts';
import { OAUTH_CLIENT, type OAuthProvider, startOAuthProvider } from '../../harness/oauth-provider.ts';
import { serve } from '../../harness/serve.ts';

const REDIRECT = 'https://deckhand.example/oauth/callback';
const box = createSecretBox(TEST_ENCRYPTION_KEY);

let instance: Instance;
let provider: OAuthProvider;
/** An API that accepts the valid tokens of the provider, and remembers them. */
let api: string;
const accepted: string[] = [];
/** Tokens that the API does not accept any more. */
const refused = new Set<string>();

beforeAll(async () => {
  instance = await startInstance(undefined, { env: { HTTP_NODE_ALLOW_PRIVATE: 'true' } });
  provider = await startOAuthProvider(REDIRECT);
  await startTestWorker(instance);
  ({ url: api } = await serve((request, response) => {
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
    void provider.isValid(token).then((isKnown) => {
      const isValid = isKnown && !refused.has(token);
      if (isValid) accepted.push(token);
      response.writeHead(isValid ? 200 : 401, { 'content-type': 'application/json' }).end(JSON.stringify({ token }));
    });
  }));
});
afterAll(stopAll);
beforeEach(() => {
  accepted.length = 0;
});

const call = callWithKey(() => instance);
const asOwner = <Path extends string>(path: Path, body?: object) =>
  instance.gateway.call('POST', path, { as: instance.session, ...(body && { body }) });

/** Configures a client of the provider. */
const configured = (grant: string, more: object = {}) => {
  const { authorizationUrl, deviceAuthorizationUrl, tokenUrl, revocationUrl, issuer } = provider.endpoints;
  const ofGrant =
    grant === 'authorizationCode'
      ? { authorizationUrl, issuer }
      : grant === 'deviceCode'
        ? { deviceAuthorizationUrl }
        : {};
  const scopes = grant === 'clientCredentials' ? {} : { scopes: 'openid offline_access orders' };
  return { grant, ...OAUTH_CLIENT, tokenUrl, revocationUrl, ...scopes, ...ofGrant, ...more };
};

async function keep(secret: object, more: object = {}): Promise<string> {
  const body = { workspaceId: instance.workspaceId, name: 'Orders', type: 'oauth2', secret, ...more };
  const created = await call('POST', '/api/credentials', body);
  expect(created).toMatchObject({ status: 201, body: { connection: { status: 'not_connected' } } });
  return created.body.id;
}

const connectionOf = async (id: string) => (await call('GET', `/api/credentials/${id}`)).body.connection;

/** Connects a credential as its owner does in a browser. */
async function connect(id: string): Promise<URLSearchParams> {
  const { body } = await asOwner(`/api/credentials/${id}/connect`);
  if (body.kind !== 'redirect') throw new Error(`the grant wants ${body.kind}`);
  expect(body.redirectUrl).toBe(REDIRECT);
  const { searchParams } = await provider.allow(body.authorizationUrl, REDIRECT);
  expect(await finish(searchParams)).toMatchObject({ status: 200, body: { credentialId: id, name: 'Orders' } });
  return searchParams;
}

const finish = (parameters: URLSearchParams, session = instance.session) =>
  instance.gateway.call('POST', '/api/credentials/callback', {
    as: session,
    body: { parameters: parameters.toString() },
  });

/** A connected credential of the authorization code grant. */
async function connected(more: object = {}): Promise<string> {
  const id = await keep(configured('authorizationCode', more));
  await connect(id);
  return id;
}

async function run(credentialId: string) {
  const id = await createWorkflow(
    instance,
    chain({ id: 'call', type: 'http', parameters: { url: api }, credentialId }),
  );
  const { body } = await call('POST', `/api/workflows/${id}/execute`, { executionMode: 'debug' });
  return until(async () => {
    const { body: found, text } = await call('GET', `/api/executions/${body.executionId}`);
    return ['success', 'failed'].includes(found.status) ? { ...found, text } : undefined;
  });
}

const expire = (id: string) =>
  instance.db.oAuth2Connection.update({ where: { id }, data: { expiresAt: new Date(Date.now() - 1_000) } });
const refreshes = () => provider.tokenRequests.filter(({ grantType }) => grantType === 'refresh_token');

/** Nobody renews tokens in the background here. */
const fail = (error: unknown): never => {
  throw error;
};

/** A keeper as each worker has one, with a pool of its own. */
function createKeeper(): { keeper: TokenKeeper; get: (id: string) => Promise<string> } {
  const db = createDatabase({ url: instance.databaseUrl, poolSize: 4 });
  stopLater({ stop: () => db.$disconnect() });
  const http = createHttpClient({ allowPrivate: true });
  stopLater({ stop: () => http.close() });
  const store = { read: (id: string) => readConnection(db, id), change: changeConnection.bind(undefined, db) };
  const keeper = createTokenKeeper({ store, box, http, providerLimitMs: PROVIDER_LIMIT_MS, onError: fail });
  return {
    keeper,
    async get(id) {
      const known = await readConnection(db, id);
      if (!known) throw new Error('the credential is gone');
      return (await keeper.get(id, known, AbortSignal.timeout(30_000))).accessToken;
    },
  };
}

describe('a credential of OAuth 2.0', () => {
  it('is connected by a person, and sends its access token, which no run, log, audit or response shows', async () => {
    const id = await connected();
    const connection = await connectionOf(id);
    expect(connection).toMatchObject({
      grant: 'authorizationCode',
      status: 'connected',
      scopes: ['openid', 'orders'],
      lastError: null,
    });
    const found = await run(id);
    expect(found).toMatchObject({ status: 'success', progress: { call: { output: { body: { token: '********' } } } } });
    expect(accepted).toHaveLength(1);
    const seen = [
      found.text,
      await instance.db.auditEntry.findMany(),
      await instance.db.oAuth2Connection.findMany(),
      (await call('GET', `/api/credentials?workspaceId=${instance.workspaceId}`)).text,
      instance.gateway.log,
      await instance.db.$queryRaw`SELECT to_jsonb(n)::text AS row FROM node_runs n`,
    ];
    for (const secret of [...accepted, OAUTH_CLIENT.clientSecret]) expect(JSON.stringify(seen)).not.toContain(secret);
    expect(await instance.db.auditEntry.count({ where: { resourceId: id, action: 'credential.connect' } })).toBe(1);
    await until(async () => (await connectionOf(id))?.lastUsedAt !== null);
    const uses = await call('GET', `/api/credentials/${id}/workflows`);
    expect(uses.body.data).toMatchObject([{ name: 'Test' }]);
  });

  it('is refreshed once when a thousand nodes of eight workers need it at the moment of expiry', async () => {
    const id = await connected();
    await expire(id);
    const before = refreshes().length;
    const workers = Array.from({ length: 8 }, createKeeper);
    // All workers of the test share a thread: if each node read the credential, some would wait too long for a
    // connection on a busy machine.
    const known = await readConnection(instance.db, id);
    if (!known) throw new Error('the credential is gone');
    const nodes = workers.flatMap(({ keeper }) => Array.from({ length: 125 }, () => keeper));
    const gotten = await Promise.all(nodes.map((keeper) => keeper.get(id, known, AbortSignal.timeout(30_000))));
    const tokens = gotten.map(({ accessToken }) => accessToken);
    expect(refreshes().length - before).toBe(1);
    const [token = ''] = tokens;
    expect(new Set(tokens)).toEqual(new Set([token]));
    expect(await provider.isValid(token)).toBe(true);
  });

  it('is refreshed after a 401, once, and the node succeeds', async () => {
    const id = await connected();
    await run(id);
    for (const token of accepted) refused.add(token);
    await instance.db.oAuth2Connection.update({ where: { id }, data: { refreshedAt: new Date(Date.now() - 60_000) } });
    const before = refreshes().length;
    expect((await run(id)).status).toBe('success');
    expect(refreshes().length - before).toBe(1);
  });

  it('needs a person once the provider refuses its refresh token, which the audit log and its runs report', async () => {
    const id = await connected();
    await provider.revokeConsent();
    await expire(id);
    const found = await run(id);
    expect(found.error).toMatchObject({ code: 'CREDENTIAL_RECONNECT_NEEDED', nodeId: 'call' });
    expect(await connectionOf(id)).toMatchObject({ status: 'reconnect_needed', lastError: { code: 'invalid_grant' } });
    const entry = { resourceId: id, action: 'credential.reconnect_needed' };
    expect(await instance.db.auditEntry.findMany({ where: entry })).toMatchObject([
      { userId: null, details: { name: 'Orders', error: 'invalid_grant' } },
    ]);
    // Nobody asks the provider again.
    const before = refreshes().length;
    expect((await run(id)).error).toMatchObject({ code: 'CREDENTIAL_RECONNECT_NEEDED' });
    expect(refreshes().length).toBe(before);
    const tested = await asOwner(`/api/credentials/${id}/test`, { url: 'http://127.0.0.1:1' });
    expect(tested.body).toMatchObject({ ok: false, code: 'CREDENTIAL_RECONNECT_NEEDED' });
    const lastTest = async () => (await call('GET', `/api/credentials/${id}`)).body.lastTest;
    expect(await lastTest()).toEqual(tested.body);
    await connect(id);
    expect(await lastTest()).toBeNull();
    expect((await run(id)).status).toBe('success');
  });

  it('needs a person after a process died between the response of the provider and its own write', async () => {
    const id = await connected();
    await expire(id);
    const { get } = createKeeper();
    // A refresh whose result is not written: the transaction of the process ends with it.
    await expect(
      changeConnection(instance.db, id, async (current) => {
        const lost = createTokenKeeper({
          store: {
            read: () => Promise.resolve(current),
            change: async (_id, decide) => {
              await decide(current);
              throw new Error('killed');
            },
          },
          box,
          http: createHttpClient({ allowPrivate: true }),
          providerLimitMs: PROVIDER_LIMIT_MS,
          onError: fail,
        });
        await lost.request(id, AbortSignal.timeout(10_000));
        return undefined;
      }),
    ).rejects.toThrow('killed');
    expect((await connectionOf(id))?.status).toBe('connected');
    await expect(get(id)).rejects.toMatchObject({ code: 'CREDENTIAL_RECONNECT_NEEDED' });
    expect((await connectionOf(id))?.status).toBe('reconnect_needed');
  });

  it('of a client that acts in its own name connects by itself', async () => {
    const id = await keep(configured('clientCredentials'));
    expect((await run(id)).status).toBe('success');
    expect(await connectionOf(id)).toMatchObject({ status: 'connected' });
    expect((await asOwner(`/api/credentials/${id}/connect`)).body).toEqual({ kind: 'connected' });
  });

  it('is connected by a code that a person enters on another device', async () => {
    const id = await keep(configured('deviceCode'));
    expect((await run(id)).error).toMatchObject({ code: 'CREDENTIAL_NOT_CONNECTED' });
    const { body } = await asOwner(`/api/credentials/${id}/connect`);
    if (body.kind !== 'device') throw new Error(`the grant wants ${body.kind}`);
    expect(body.verificationUrl).toContain(provider.url);
    const poll = (as: string) =>
      instance.gateway.call('POST', `/api/credentials/${id}/connect/poll`, { as, body: { attempt: body.attempt } });
    await provider.allowDevice(body.userCode);
    // An API key is not the session that started.
    expect((await poll(instance.key)).status).toBe(404);
    expect((await poll(instance.session)).body).toEqual({ state: 'connected' });
    expect((await run(id)).status).toBe('success');
  });

  it('is asked for less often by a device code when the provider wants that, or is down', async () => {
    const asked: string[] = [];
    const errors = ['slow_down', undefined];
    const { url } = await serve((request, response) => {
      asked.push(request.url ?? '');
      const offer = {
        device_code: 'd',
        user_code: 'ABCD',
        verification_uri: 'https://login.example/',
        expires_in: 900,
      };
      const isOffer = request.url === '/device';
      const error = isOffer ? undefined : errors.shift();
      const body = isOffer ? { ...offer, interval: 7 } : { error };
      response
        .writeHead(isOffer || error ? 200 : 503, { 'content-type': 'application/json' })
        .end(JSON.stringify(body));
    });
    const id = await keep({
      ...{ grant: 'deviceCode', clientId: 'c', tokenUrl: `${url}/token`, deviceAuthorizationUrl: `${url}/device` },
    });
    for (const _error of ['slow_down', '503']) {
      const { body } = await asOwner(`/api/credentials/${id}/connect`);
      if (body.kind !== 'device') throw new Error(`the grant wants ${body.kind}`);
      expect(body.pollSeconds).toBe(7);
      const poll = () => asOwner(`/api/credentials/${id}/connect/poll`, { attempt: body.attempt });
      // The second is not sent to the provider, and remembers.
      for (const _poll of [1, 2]) expect((await poll()).body).toEqual({ state: 'pending', pollSeconds: 12 });
    }
    expect(asked).toEqual(['/device', '/token', '/device', '/token']);
  });

  it('is revoked at the provider when it is deleted', async () => {
    const id = await connected();
    const before = provider.revocations();
    const token = await createKeeper().get(id);
    expect((await call('DELETE', `/api/credentials/${id}`)).status).toBe(204);
    expect(provider.revocations() - before).toBe(1);
    expect(await provider.isValid(token)).toBe(false);
  });

  it('is deleted with the tokens that a refresh in progress brings', async () => {
    const id = await connected();
    const { ownerId } = await instance.db.credential.findUniqueOrThrow({ where: { id } });
    const deletions: ReturnType<typeof deleteCredential>[] = [];
    await changeConnection(instance.db, id, async () => {
      deletions.push(deleteCredential(instance.db, { userId: ownerId ?? '', boundTo: null }, id));
      await until(async () => {
        const waiting = await instance.db.$queryRaw<unknown[]>`SELECT 1 FROM pg_stat_activity
          WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%oauth2_connections%'`;
        return waiting.length > 0;
      });
      return { kind: 'refreshed', sealedTokens: 'new', lifetimeMs: null, scopes: [] };
    });
    expect(await Promise.all(deletions)).toMatchObject([{ sealedTokens: 'new' }]);
  });

  it('loses its tokens with its configuration: they must not reach another provider', async () => {
    const id = await connected();
    const secret = configured('authorizationCode', { tokenUrl: 'https://evil.example/token' });
    const changed = await call('PATCH', `/api/credentials/${id}`, { secret });
    expect(changed.body.connection).toMatchObject({ status: 'not_connected', scopes: [] });
    expect(await instance.db.oAuth2Connection.findUnique({ where: { id } })).toMatchObject({ secret: null });
  });
});

it('a connection survives that its tokens are encrypted with another key', async () => {
  const id = await connected();
  const rows = await listSealed(instance.db, 'connection', { afterId: undefined, limit: 1_000 });
  const row = rows.find((one) => one.id === id);
  if (!row) throw new Error('the tokens are not listed');
  const resealed = await box.seal(await box.open(row.sealed));
  expect(await resealSecrets(instance.db, 'connection', [{ ...row, resealed }])).toEqual([id]);
  expect((await run(id)).status).toBe('success');
});

describe('the redirect back', () => {
  it('leaves its code in no log', async () => {
    await fetch(`${instance.gateway.url}/oauth/callback?code=a-secret-code&state=a-secret-state`);
    await until(() => instance.gateway.log.some((line) => line.includes('/oauth/callback…')));
    expect(instance.gateway.log.join()).not.toContain('a-secret');
  });

  async function redirected(): Promise<{ id: string; parameters: URLSearchParams }> {
    const id = await keep(configured('authorizationCode'));
    const { body } = await asOwner(`/api/credentials/${id}/connect`);
    if (body.kind !== 'redirect') throw new Error(`the grant wants ${body.kind}`);
    return { id, parameters: (await provider.allow(body.authorizationUrl, REDIRECT)).searchParams };
  }

  it('counts once', async () => {
    const { parameters } = await redirected();
    expect((await finish(parameters)).status).toBe(200);
    expect((await finish(parameters)).status).toBe(404);
  });

  it('counts for the person and the session that started only', async () => {
    const { parameters } = await redirected();
    const other = await addPerson(instance, 'editor');
    expect((await finish(parameters, other.session)).status).toBe(404);
    const login = await instance.gateway.call('POST', '/api/auth/login', {
      body: { email: OWNER.email, password: OWNER.password },
    });
    expect((await finish(parameters, login.body.token)).status).toBe(404);
    expect((await finish(parameters)).status).toBe(200);
  });

  it.each([
    ['another issuer', { iss: 'https://evil.example' }, 'CONNECTION_FAILED'],
    ['no issuer', { iss: '' }, 'CONNECTION_FAILED'],
    ['another state', { state: 'x' }, 'NOT_FOUND'],
    ['an error', { error: 'access_denied', error_description: '<b>no</b>' }, 'CONNECTION_FAILED'],
  ])('fails with %s', async (_what, changes, code) => {
    const { id, parameters } = await redirected();
    const before = provider.tokenRequests.length;
    for (const [name, value] of Object.entries(changes))
      if (value === '') parameters.delete(name);
      else parameters.set(name, value);
    expect((await finish(parameters)).body).toMatchObject({ code });
    expect(provider.tokenRequests.length).toBe(before);
    expect((await connectionOf(id))?.status).toBe('not_connected');
  });

  it('fails if the credential was configured anew meanwhile: its code must not reach another provider', async () => {
    const { id, parameters } = await redirected();
    await call('PATCH', `/api/credentials/${id}`, { secret: configured('authorizationCode', { scopes: 'other' }) });
    expect((await finish(parameters)).body).toMatchObject({ code: 'CONFLICT' });
  });

  it('is for those who may change the credential', async () => {
    const id = await keep(configured('authorizationCode'));
    const connectAs = async (as: string) =>
      (await instance.gateway.call('POST', `/api/credentials/${id}/connect`, { as })).status;
    expect(await connectAs((await addPerson(instance, 'viewer')).session)).toBe(403);
    expect(await connectAs((await addPerson(instance, 'editor')).session)).toBe(200);
    const mine = await keep(configured('authorizationCode'), { visibility: 'private' });
    const path = `/api/credentials/${mine}/connect`;
    const admin = await addPerson(instance, 'admin');
    expect((await instance.gateway.call('POST', path, { as: admin.session })).status).toBe(403);
    const plain = { workspaceId: instance.workspaceId, name: 'Plain', type: 'bearer', secret: { token: 't' } };
    const { body: bearer } = await call('POST', '/api/credentials', plain);
    expect((await asOwner(`/api/credentials/${bearer.id}/connect`)).body).toMatchObject({ code: 'INVALID_STATE' });
  });
});
