import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { announceSetup } from '@deckhand/api';
import {
  createKey,
  createWorkflow,
  type Gateway,
  type Instance,
  OWNER,
  SETUP,
  startGateway,
  startInstance,
  startStores,
  stopAll,
} from '../../harness/index.ts';

let instance: Instance;
let gateway: Gateway;
let replica: Gateway;

beforeAll(async () => {
  instance = await startInstance();
  ({ gateway } = instance);
  replica = await startGateway(instance);
});
afterAll(stopAll);

describe('setup', () => {
  it('200: says whether it is still to be done', async () => {
    const fresh = await startGateway(await startStores());
    const ask = async (one: Gateway) => (await one.call('GET', '/api/auth/setup')).body;
    expect(await ask(fresh)).toEqual({ isOpen: true });
    expect(await ask(gateway)).toEqual({ isOpen: false });
  });

  it('makes one owner of two who try at once: one 201, one 409', async () => {
    const stores = await startStores();
    const replicas = [await startGateway(stores), await startGateway(stores)];
    const answers = await Promise.all(replicas.map((one) => one.call('POST', '/api/auth/setup', { body: SETUP })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
    expect(await stores.db.user.count()).toBe(1);
    expect(await stores.db.workspace.count()).toBe(1);
  });

  it('400: names every issue and creates nobody', async () => {
    const stores = await startStores();
    const fresh = await startGateway(stores);
    const { status, body } = await fresh.call('POST', '/api/auth/setup', {
      body: { email: 'x', password: 'short', extra: 1 },
    });
    expect(status).toBe(400);
    expect(body.details?.map(({ path }) => path).sort()).toEqual(['email', 'extra', 'name', 'token', 'workspaceName']);
    expect(await stores.db.user.count()).toBe(0);
  });
});

describe('the setup token', () => {
  it('403: refuses setup without the right one, and creates nobody', async () => {
    const stores = await startStores();
    const fresh = await startGateway(stores);
    for (const token of ['', 'a guess', `${SETUP.token} `]) {
      const { status, body } = await fresh.call('POST', '/api/auth/setup', { body: { ...SETUP, token } });
      expect([status, body.code, body.error]).toEqual([403, 'FORBIDDEN', expect.stringContaining('setup token')]);
    }
    expect(await stores.db.user.count()).toBe(0);
    const right = await fresh.call('POST', '/api/auth/setup', { body: SETUP });
    expect(right.status).toBe(201);
  });

  it('is logged in a link by every replica alike while there is no user, also where none is set', async () => {
    const stores = await startStores();
    const replicas = await Promise.all(
      ['a', 'b'].map(async () => {
        const one = await startGateway(stores, { env: { SETUP_TOKEN: '' } });
        await announceSetup(one.services, 'https://deckhand.example');
        return one;
      }),
    );
    const links = replicas.map(({ log }) => log.map((line) => /https:[^"]+#([^"]+)/.exec(line)?.[1]).find(Boolean));
    expect(links[0]).toMatch(/^[\w-]{43}$/);
    expect(links[1]).toBe(links[0]);
    const [first] = replicas;
    const { status } = await first!.call('POST', '/api/auth/setup', { body: { ...SETUP, token: links[0] } });
    expect(status).toBe(201);
    const later = await startGateway(stores);
    await announceSetup(later.services, 'https://deckhand.example');
    expect(later.log.join('')).not.toContain('/setup#');
  });
});

describe('login', () => {
  it('200: answers a token that opens what needs a session, whatever the case of the e-mail', async () => {
    const { status, body } = await gateway.call('POST', '/api/auth/login', {
      body: { email: OWNER.email.toUpperCase(), password: OWNER.password },
    });
    expect(status).toBe(200);
    expect(body.user).toMatchObject({ email: 'owner@example.com', isAdmin: true });
    const me = await replica.call('GET', '/api/auth/me', { as: body.token });
    expect(me.body.workspaces).toEqual([{ workspaceId: instance.workspaceId, name: 'Home', role: 'owner' }]);
    expect((await gateway.call('POST', '/api/auth/logout', { as: body.token })).status).toBe(204);
    expect((await replica.call('GET', '/api/auth/me', { as: body.token })).status).toBe(401);
  });

  it('401: alike for a wrong e-mail and a wrong password', async () => {
    const wrong = { email: OWNER.email, password: 'wrong wrong wrong' };
    const answers = [
      await gateway.call('POST', '/api/auth/login', { body: wrong }),
      await gateway.call('POST', '/api/auth/login', { body: { ...wrong, email: 'nobody@example.com' } }),
    ];
    const [first, second] = answers.map(({ status, body }) => ({ status, error: body.error, code: body.code }));
    expect(first).toEqual(second);
    expect(first?.status).toBe(401);
  });

  it('429: slows down guessing, with Retry-After', async () => {
    const guess = () =>
      gateway.call('POST', '/api/auth/login', { body: { email: 'guessed@example.com', password: 'not this one' } });
    const answers = await Promise.all(Array.from({ length: 12 }, guess));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});

describe('an API key', () => {
  it('is shown once, kept as a hash, and listed with its label', async () => {
    const key = await createKey(gateway, instance.session, { name: 'ci', preset: 'read-write' });
    const { body } = await gateway.call('GET', '/api/api-keys', { as: instance.session });
    const entry = body.data.find(({ keyPrefix }) => key.startsWith(keyPrefix));
    expect(entry).toMatchObject({ name: 'ci', access: 'Read + write', state: 'Active' });
    expect(JSON.stringify(body)).not.toContain(key);
    expect(JSON.stringify(await instance.db.apiKey.findMany())).not.toContain(key);
    expect(gateway.log.join('')).not.toContain(key);
  });

  it('is refused by every replica once it is revoked', async () => {
    const key = await createKey(gateway, instance.session, {});
    expect((await replica.call('GET', '/api/workspaces', { as: key })).status).toBe(200);
    const { body } = await gateway.call('GET', '/api/api-keys', { as: instance.session });
    const { id } = body.data.find(({ keyPrefix }) => key.startsWith(keyPrefix))!;
    const revoked = await gateway.call('POST', `/api/api-keys/${id}/revoke`, { as: instance.session });
    expect(revoked).toMatchObject({ status: 200, body: { state: 'Revoked' } });
    expect((await replica.call('GET', '/api/workspaces', { as: key })).status).toBe(401);
  });

  it('400: is not revoked by a request that says more than that', async () => {
    await createKey(gateway, instance.session, {});
    const list = () => gateway.call('GET', '/api/api-keys?limit=1', { as: instance.session });
    const { id } = (await list()).body.data[0]!;
    const path = `/api/api-keys/${id}/revoke`;
    expect((await gateway.call('POST', path, { as: instance.session, body: { when: 'never' } })).status).toBe(400);
    expect((await list()).body.data[0]).toMatchObject({ id, state: 'Active' });
  });

  it('401: sent as Bearer, mistyped, or a session token sent as key', async () => {
    const headers: Record<string, string>[] = [
      { authorization: 'Bearer mistyped' },
      { 'x-api-key': `${instance.key.slice(0, -1)}!` },
      { 'x-api-key': instance.session },
      {},
    ];
    for (const one of headers) {
      expect(await gateway.call('GET', '/api/workspaces', { headers: one })).toMatchObject({
        status: 401,
        body: { error: 'Unauthorized', code: 'UNAUTHORIZED' },
      });
    }
    const asBearer = { authorization: `Bearer ${instance.key}` };
    expect(await gateway.call('GET', '/api/workspaces', { headers: asBearer })).toMatchObject({
      status: 401,
      body: { error: 'Send API keys in x-api-key, not as Bearer', code: 'UNAUTHORIZED' },
    });
  });

  it('403: without the scope, saying which', async () => {
    const key = await createKey(gateway, instance.session, { scopes: ['workflows:read'] });
    const { status, body } = await gateway.call('POST', '/api/workflows', { as: key, body: {} });
    expect(status).toBe(403);
    expect(body).toMatchObject({
      error: 'API key is not scoped for this request',
      code: 'INSUFFICIENT_SCOPE',
      required: 'workflows:write',
    });
    expect(body.hint).toEqual(expect.any(String));
  });

  it('starts runs with the scope workflows:execute, and does nothing else', async () => {
    const key = await createKey(gateway, instance.session, { scopes: ['workflows:execute'] });
    const start = { id: 'start', type: 'trigger.manual' };
    const id = await createWorkflow(instance, { nodes: [start], edges: [] });
    const ask = async (method: string, path: string) =>
      (await gateway.call(method, path, { as: key, body: {} })).status;
    expect(await ask('POST', `/api/workflows/${id}/execute`)).toBeLessThan(300);
    expect(await ask('PATCH', `/api/workflows/${id}`)).toBe(403);
    expect(await ask('POST', `/api/workflows/${id}/versions`)).toBe(403);
    expect(await ask('GET', `/api/workflows/${id}`)).toBe(403);
    const reader = await createKey(gateway, instance.session, { preset: 'read-only' });
    expect(await gateway.call('POST', `/api/workflows/${id}/execute`, { as: reader, body: {} })).toMatchObject({
      status: 403,
      body: { code: 'INSUFFICIENT_SCOPE', required: 'workflows:write' },
    });
  });

  it('starts runs of the workflow that its scope names, and of no other', async () => {
    const definition = { nodes: [{ id: 'start', type: 'trigger.manual' }], edges: [] };
    const [named, other] = [await createWorkflow(instance, definition), await createWorkflow(instance, definition)];
    const key = await createKey(gateway, instance.session, { scopes: [`workflows:execute:${named}`] });
    const execute = (id: string) => gateway.call('POST', `/api/workflows/${id}/execute`, { as: key, body: {} });
    expect((await execute(named)).status).toBe(202);
    expect((await execute(named.toUpperCase())).status).toBe(202);
    expect(await execute(other)).toMatchObject({ status: 403, body: { required: 'workflows:write' } });
    expect(await instance.db.execution.count({ where: { workflowId: other } })).toBe(0);
  });

  it('400: is not made for a workflow that its creator does not see', async () => {
    const scopes = ['executions:read', 'workflows:execute:019a8e5c-7a31-7cc0-9f3e-6d1f0c2b4a58'];
    const body = { name: 'k', password: OWNER.password, scopes };
    expect(await gateway.call('POST', '/api/api-keys', { as: instance.session, body })).toMatchObject({
      status: 400,
      body: { details: [{ path: 'scopes[1]', message: 'names no workflow that you can see' }] },
    });
  });

  it('403: at what needs a session, whatever its scopes', async () => {
    for (const path of ['/api/api-keys', '/api/auth/me']) {
      expect(await gateway.call('GET', path, { as: instance.key })).toMatchObject({
        status: 403,
        body: { error: 'This endpoint requires an interactive session, not an API key', code: 'SESSION_REQUIRED' },
      });
    }
  });

  it('bound to a workspace: 403 where another is named, 404 for what another holds', async () => {
    const other = await gateway.call('POST', '/api/workspaces', { as: instance.session, body: { name: 'Other' } });
    const key = await createKey(gateway, instance.session, { preset: 'full', workspaceId: other.body.id });
    const { status, body } = await gateway.call('GET', `/api/workflows?workspaceId=${instance.workspaceId}`, {
      as: key,
    });
    expect([status, body.error, body.code]).toEqual([
      403,
      'This API key is bound to a different workspace',
      'WORKSPACE_MISMATCH',
    ]);
    const workflowId = await createWorkflow(instance);
    expect((await gateway.call('GET', `/api/workflows/${workflowId}`, { as: key })).status).toBe(404);
    const inBody = { workspaceId: instance.workspaceId, name: 'x' };
    expect((await gateway.call('POST', '/api/workflows', { as: key, body: inBody })).body.code).toBe(
      'WORKSPACE_MISMATCH',
    );
    const list = await gateway.call('GET', '/api/workspaces', { as: key });
    expect(list.body.data.map(({ id }) => id)).toEqual([other.body.id]);
  });

  it('stops working after its expiry date', async () => {
    const key = await createKey(gateway, instance.session, {
      expiresAt: new Date(Date.now() + 86_400_000).toISOString(),
    });
    expect((await gateway.call('GET', '/api/workspaces', { as: key })).status).toBe(200);
    await instance.db.apiKey.updateMany({ where: { keyPrefix: key.slice(0, 10) }, data: { expiresAt: new Date() } });
    expect((await gateway.call('GET', '/api/workspaces', { as: key })).status).toBe(401);
  });

  it('works until the end of its expiry date in UTC, which may be today', async () => {
    const today = new Date().toISOString().slice(0, 10);
    const key = await createKey(gateway, instance.session, { expiresAt: today });
    const { body } = await gateway.call('GET', '/api/me', { as: key });
    expect(body).toMatchObject({ apiKey: { expiresAt: `${today}T23:59:59.999Z` } });
    const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
    const late = { name: 'late', password: OWNER.password, expiresAt: yesterday };
    const refused = await gateway.call('POST', '/api/api-keys', { as: instance.session, body: late });
    expect(refused).toMatchObject({
      status: 400,
      body: { details: [{ path: 'expiresAt', message: 'is in the past' }] },
    });
  });

  it('400 for an unknown scope, listing the known ones', async () => {
    const { body } = await gateway.call('POST', '/api/api-keys', {
      as: instance.session,
      body: { name: 'x', password: OWNER.password, scopes: ['workflow:read'] },
    });
    expect(body.details).toEqual([
      {
        path: 'scopes[0]',
        message:
          'must be *, workflows:execute, workflows:execute:<workflow id>, or one of workflows, executions, workspaces, ' +
          'approvals, human-tasks, monitoring, ai, credentials, audit-log, folders, variables, connectors, node-types, ' +
          'schedules, event-endpoints, events, me, * ' +
          'with :read, :write or :*',
      },
    ]);
  });

  it.each([
    [{ password: 'not the password' }, 403],
    [{ preset: 'full', scopes: ['*'] }, 400],
    [{ scopes: ['workflow:read'] }, 400],
    [{ expiresAt: '2020-01-01T00:00:00.000Z' }, 400],
    [{ nmae: 'typo' }, 400],
  ])('is not created from %j: %i', async (options, expected) => {
    const before = await instance.db.apiKey.count();
    const { status } = await gateway.call('POST', '/api/api-keys', {
      as: instance.session,
      body: { name: 'x', password: OWNER.password, ...options },
    });
    expect(status).toBe(expected);
    expect(await instance.db.apiKey.count()).toBe(before);
  });
});
