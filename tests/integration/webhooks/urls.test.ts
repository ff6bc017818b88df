import type { JsonObject } from '@deckhand/contracts';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type Call,
  createHook,
  type Gateway,
  type Hook,
  hookDefinition,
  type Instance,
  sendHook,
  startGateway,
  startInstance,
  stopAll,
  until,
} from '../../harness/index.ts';

let instance: Instance;
let other: Gateway;

beforeAll(async () => {
  instance = await startInstance();
  other = await startGateway(instance);
});
afterAll(stopAll);

const api: Call<[body?: unknown]> = (method, path, body) =>
  instance.gateway.call(method, path, { as: instance.session, ...(body === undefined ? {} : { body }) });
const send = (path: string, init?: RequestInit) => sendHook(instance.gateway, path, init);
const runsOf = ({ workflowId }: Hook) => instance.db.execution.count({ where: { workflowId } });
const statusAndCode = ({ status, body }: { status: number; body: { code?: string } | null }) => [status, body?.code];

describe('which version answers', () => {
  it('410 while draft and while inactive, from the next request on, on every gateway', async () => {
    const hook = await createHook(instance, {}, { isActive: false });
    const ask = async () => {
      const answers = await Promise.all([instance.gateway, other].map((gateway) => sendHook(gateway, hook.path)));
      return answers.map(({ status, body }) => [status, body.code]);
    };
    const gone = [410, 'WEBHOOK_INACTIVE'];
    expect(await ask()).toEqual([gone, gone]);
    expect((await send(hook.path)).body.error).toContain('draft');
    for (let round = 0; round < 5; round += 1) {
      await api('PATCH', `/api/workflows/${hook.workflowId}`, { status: 'active' });
      expect(await ask()).toEqual([
        [200, undefined],
        [200, undefined],
      ]);
      await api('PATCH', `/api/workflows/${hook.workflowId}`, { status: 'inactive' });
      expect(await ask()).toEqual([gone, gone]);
    }
    expect((await send(hook.path)).body.error).toContain('inactive');
    expect(await runsOf(hook)).toBe(10);
  });

  it('the active one, not the latest, and another from the answer on that names it', async () => {
    const hook = await createHook(instance, { responseCode: 201 });
    const path = `/api/workflows/${hook.workflowId}` as const;
    const { body: second } = await api('POST', `${path}/versions`, {
      definition: hookDefinition({ responseCode: 202 }),
    });
    const { body: before } = await api('GET', path);
    expect((await send(hook.path)).status).toBe(201);
    for (let round = 0; round < 5; round += 1) {
      for (const [version, code] of [
        [second.workflowVersionId, 202],
        [before.activeVersionId, 201],
      ]) {
        await api('PATCH', path, { activeVersionId: version });
        const { status, body } = await sendHook(other, hook.path);
        const run = await instance.db.execution.findUniqueOrThrow({ where: { id: body.executionId } });
        expect([status, run.workflowVersionId]).toEqual([code, version]);
      }
    }
  });

  it('none once the active version has no such trigger, or the workflow is deleted', async () => {
    const hook = await createHook(instance, {});
    const path = `/api/workflows/${hook.workflowId}` as const;
    await api('POST', `${path}/versions`, {
      definition: { nodes: [{ id: 'hook', type: 'trigger.manual' }], edges: [] },
    });
    expect((await send(hook.path)).status).toBe(200);
    await api('PATCH', path, { status: 'active' });
    expect((await send(hook.path)).status).toBe(404);
    const second = await createHook(instance, {});
    await api('DELETE', `/api/workflows/${second.workflowId}`);
    expect([(await send(second.path)).status, (await sendHook(other, second.path)).status]).toEqual([404, 404]);
  });

  it('each trigger of a workflow has a URL of its own', async () => {
    const definition = {
      nodes: [
        { id: 'one', type: 'trigger.webhook' },
        { id: 'two', type: 'trigger.webhook', parameters: { method: 'GET' } },
      ],
      edges: [],
    };
    const { body } = await api('POST', '/api/workflows', {
      workspaceId: instance.workspaceId,
      name: 'Two',
      definition,
    });
    await api('PATCH', `/api/workflows/${body.id}`, { status: 'active' });
    for (const { nodeId, url, method } of body.webhooks) {
      const { body: started } = await send(new URL(url).pathname, { method });
      const run = await instance.db.execution.findUniqueOrThrow({ where: { id: started.executionId } });
      expect(run.triggerNodeId).toBe(nodeId);
    }
  });
});

describe('what an earlier request has found', () => {
  const saveAndActivate = async ({ workflowId }: Hook, parameters: JsonObject) => {
    const saved = await api('POST', `/api/workflows/${workflowId}/versions`, {
      definition: hookDefinition(parameters),
    });
    await api('PATCH', `/api/workflows/${workflowId}`, { activeVersionId: saved.body.workflowVersionId });
  };

  it('neither lets a caller in nor refuses one once another version is active', async () => {
    const hook = await createHook(instance, { secret: 'first secret' });
    const ask = async (secret: string) => (await send(hook.path, { headers: { 'x-webhook-secret': secret } })).status;
    expect([await ask('first secret'), await ask('first secret')]).toEqual([200, 200]);
    await saveAndActivate(hook, { secret: 'second secret' });
    expect([await ask('first secret'), await ask('second secret'), await ask('second secret')]).toEqual([
      401, 200, 200,
    ]);
    await saveAndActivate(hook, { secret: 'first secret' });
    expect([await ask('first secret'), await ask('second secret')]).toEqual([200, 401]);
  });

  it('replays no request of the workflow that had the URL before', async () => {
    const [before, after] = await Promise.all([createHook(instance, {}), createHook(instance, {})]);
    const suffix = before.path.split('/').at(-1);
    const key = { headers: { 'idempotency-key': 'one' } };
    const first = await send(before.path, key);
    expect((await send(before.path, key)).body.executionId).toBe(first.body.executionId);
    const changeUrl = (hook: Hook, body?: object) =>
      api('POST', `/api/workflows/${hook.workflowId}/webhooks/hook/url`, body);
    await changeUrl(before);
    expect((await changeUrl(after, { path: suffix })).status).toBe(200);
    const second = await send(before.path, key);
    expect([second.status, await runsOf(before), await runsOf(after)]).toEqual([200, 1, 1]);
    expect(second.body.executionId).not.toBe(first.body.executionId);
  });
});

describe('the URL', () => {
  const change = (hook: Hook, body?: object) =>
    api('POST', `/api/workflows/${hook.workflowId}/webhooks/hook/url`, body);

  it('has 128 bits or more that need no escaping', async () => {
    const paths = await Promise.all(Array.from({ length: 10 }, async () => (await createHook(instance, {})).path));
    expect(new Set(paths).size).toBe(10);
    for (const path of paths) expect(path).toMatch(/^\/webhook\/[A-Za-z0-9_-]{22,}$/);
  });

  it('changes when it is asked to, and the old one is a 404 from then on, everywhere', async () => {
    const hook = await createHook(instance, {});
    const { status, body } = await change(hook);
    expect(status).toBe(200);
    const path = new URL(body.url).pathname;
    const answers = [
      await send(hook.path),
      await sendHook(other, hook.path),
      await send(path),
      await sendHook(other, path),
    ];
    expect(answers.map((answer) => answer.status)).toEqual([404, 404, 200, 200]);
    const { body: workflow } = await api('GET', `/api/workflows/${hook.workflowId}`);
    expect(workflow.webhooks).toEqual([{ nodeId: 'hook', url: body.url, method: 'POST' }]);
  });

  it('may be chosen, but not one that is taken', async () => {
    const [hook, second] = [await createHook(instance, {}), await createHook(instance, {})];
    expect((await change(hook, { path: 'orders-of-the-shop' })).body.url).toMatch(/\/webhook\/orders-of-the-shop$/);
    expect(statusAndCode(await change(second, { path: 'orders-of-the-shop' }))).toEqual([409, 'CONFLICT']);
    expect(statusAndCode(await change(second, { path: 'short' }))).toEqual([400, 'VALIDATION_FAILED']);
    expect((await send(second.path)).status).toBe(200);
    const path = `/api/workflows/${hook.workflowId}/webhooks` as const;
    expect((await api('POST', `${path}/other/url`)).status).toBe(404);
  });

  it('may be that of two triggers with different methods, in one workflow', async () => {
    const hook = (id: string, method: string, path = 'verified-by-get') => ({
      id,
      type: 'trigger.webhook',
      parameters: { path, method, responseMode: method === 'GET' ? 'onCompletion' : 'immediately' },
    });
    const { workspaceId } = instance;
    const create = (nodes: object[]) =>
      api('POST', '/api/workflows', { workspaceId, name: 'Verified', definition: { nodes, edges: [] } });
    const { status, body: workflow } = await create([hook('events', 'POST'), hook('check', 'GET')]);
    expect([status, workflow.webhooks.map(({ url }) => new URL(url).pathname)]).toEqual([
      201,
      ['/webhook/verified-by-get', '/webhook/verified-by-get'],
    ]);
    await api('PATCH', `/api/workflows/${workflow.id}`, { status: 'active' });
    const sent = await send('/webhook/verified-by-get');
    expect(sent.status).toBe(200);
    const { triggerNodeId } = await instance.db.execution.findUniqueOrThrow({ where: { id: sent.body.executionId } });
    expect(triggerNodeId).toBe('events');
    const refused = await sendHook(other, '/webhook/verified-by-get', { method: 'PUT' });
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, POST, OPTIONS']);
    const preflight = await sendHook(other, '/webhook/verified-by-get', {
      method: 'OPTIONS',
      headers: { origin: 'https://page.example', 'access-control-request-method': 'GET' },
    });
    expect(preflight.headers.get('access-control-allow-methods')).toBe('GET, OPTIONS, POST');
    const page = await until(async () => {
      const { data } = (await api('GET', `/api/workflows/${workflow.id}/deliveries`)).body;
      return data.length === 2 && data;
    }, 'two deliveries');
    expect(page.map(({ nodeId, method }) => [nodeId, method])).toEqual([
      ['check', 'PUT'],
      ['events', 'POST'],
    ]);

    const versions = `/api/workflows/${workflow.id}/versions` as const;
    const save = (nodes: object[]) => api('POST', versions, { definition: { nodes, edges: [] } });
    expect(statusAndCode(await save([hook('events', 'POST'), hook('check', 'POST')]))).toEqual([409, 'CONFLICT']);
    expect(statusAndCode(await create([hook('events', 'DELETE')]))).toEqual([409, 'CONFLICT']);
    expect(
      statusAndCode(await create([hook('a', 'GET', 'twice-the-same'), hook('b', 'GET', 'twice-the-same')])),
    ).toEqual([409, 'CONFLICT']);
    // A trigger with another id takes over the path of one that the version no longer has.
    expect((await save([hook('renamed', 'POST'), hook('check', 'GET')])).status).toBe(201);
    await api('PATCH', `/api/workflows/${workflow.id}`, {
      activeVersionId: (await api('GET', `/api/workflows/${workflow.id}`)).body.latestVersionId,
    });
    const again = await send('/webhook/verified-by-get');
    const run = await instance.db.execution.findUniqueOrThrow({ where: { id: again.body.executionId } });
    expect(run.triggerNodeId).toBe('renamed');
  });

  it('that became free is given to its own workspace only, whatever it was and however it became free', async () => {
    const post = <Path extends string>(path: Path, body?: object) => api('POST', path, body);
    const elsewhere = (await post('/api/workspaces', { name: 'Elsewhere' })).body.id;
    const create = async (workspaceId: string, path: string) =>
      statusAndCode(await post('/api/workflows', { workspaceId, name: 'Taker', definition: hookDefinition({ path }) }));
    const third = (await post('/api/workspaces', { name: 'Third' })).body.id;

    const [changed, deleted] = [
      await createHook(instance, { path: 'freed-by-a-change' }),
      await createHook(instance, {}),
    ];
    await change(changed);
    const freed = ['freed-by-a-change', deleted.path.split('/')[2] ?? ''];
    await api('DELETE', `/api/workflows/${deleted.workflowId}`);
    expect(await create(third, 'freed-with-its-workspace')).toEqual([201, undefined]);
    await api('DELETE', `/api/workspaces/${third}`);
    for (const path of [...freed, 'freed-with-its-workspace']) {
      expect([path, ...(await create(elsewhere, path))]).toEqual([path, 409, 'CONFLICT']);
    }
    const taker = await createHook({ ...instance, workspaceId: elsewhere }, {});
    expect(statusAndCode(await change(taker, { path: 'freed-by-a-change' }))).toEqual([409, 'CONFLICT']);
    for (const path of freed) expect(await create(instance.workspaceId, path)).toEqual([201, undefined]);
  });

  it('is the path that the definition asks for, until it is changed', async () => {
    const hook = await createHook(instance, { path: 'asked-for-first' });
    expect(hook.path).toBe('/webhook/asked-for-first');
    const save = (path: string) =>
      api('POST', `/api/workflows/${hook.workflowId}/versions`, { definition: hookDefinition({ path }) });
    await save('asked-for-then');
    await api('PATCH', `/api/workflows/${hook.workflowId}`, { status: 'active' });
    expect([(await send('/webhook/asked-for-first')).status, (await send('/webhook/asked-for-then')).status]).toEqual([
      404, 200,
    ]);
    const { body } = await change(hook);
    // Saved and activated again with the same path.
    expect((await save('asked-for-then')).status).toBe(201);
    await api('PATCH', `/api/workflows/${hook.workflowId}`, { status: 'active' });
    expect((await send('/webhook/asked-for-then')).status).toBe(404);
    expect((await send(new URL(body.url).pathname)).status).toBe(200);
    const taken = hookDefinition({ path: new URL(body.url).pathname.split('/')[2] ?? '' });
    const refused = await api('POST', '/api/workflows', {
      workspaceId: instance.workspaceId,
      name: 'Thief',
      definition: taken,
    });
    expect(statusAndCode(refused)).toEqual([409, 'CONFLICT']);
  });

  const statusOf = async (...suffixes: string[]) =>
    Promise.all(suffixes.map(async (suffix) => (await send(`/webhook/${suffix}`)).status));

  it('of an active version stays while another version with another path is saved, and moves with the activation', async () => {
    const hook = await createHook(instance, { path: 'live-orders' });
    const path = `/api/workflows/${hook.workflowId}` as const;
    const { body: first } = await api('GET', path);
    const saved = await api('POST', `${path}/versions`, { definition: hookDefinition({ path: 'next-orders' }) });
    expect(saved.status).toBe(201);
    expect(await statusOf('live-orders', 'next-orders')).toEqual([200, 404]);
    expect((await api('GET', path)).body.webhooks).toMatchObject([{ url: expect.stringMatching(/live-orders$/) }]);
    await api('PATCH', path, { activeVersionId: saved.body.workflowVersionId });
    expect(await statusOf('live-orders', 'next-orders')).toEqual([404, 200]);
    // Rolled back.
    await api('PATCH', path, { activeVersionId: first.activeVersionId });
    expect(await statusOf('live-orders', 'next-orders')).toEqual([200, 404]);
    // What is not active has the URL of the latest version.
    await api('PATCH', path, { status: 'inactive' });
    expect(await statusOf('live-orders', 'next-orders')).toEqual([404, 410]);
    await api('PATCH', path, { status: 'active', activeVersionId: first.activeVersionId });
    expect(await statusOf('live-orders', 'next-orders')).toEqual([200, 404]);
  });

  it('of an active version stays what it was changed to while a version with the same path is saved and activated', async () => {
    const hook = await createHook(instance, { path: 'kept-orders' });
    const path = `/api/workflows/${hook.workflowId}` as const;
    await change(hook, { path: 'moved-orders' });
    await api('POST', `${path}/versions`, { definition: hookDefinition({ path: 'kept-orders', responseCode: 202 }) });
    await api('PATCH', path, { status: 'active' });
    expect(await statusOf('kept-orders', 'moved-orders')).toEqual([404, 202]);
  });

  it('that a saved version asks for is reserved for its workspace, and refused if another webhook has it', async () => {
    const [hook, taker] = [await createHook(instance, { path: 'held-orders' }), await createHook(instance, {})];
    const save = (path: string) =>
      api('POST', `/api/workflows/${taker.workflowId}/versions`, { definition: hookDefinition({ path }) });
    expect(statusAndCode(await save('held-orders'))).toEqual([409, 'CONFLICT']);
    expect((await save('wanted-orders')).status).toBe(201);
    const elsewhere = (await api('POST', '/api/workspaces', { name: 'Waiting' })).body.id;
    const definition = hookDefinition({ path: 'wanted-orders' });
    const thief = await api('POST', '/api/workflows', { workspaceId: elsewhere, name: 'Thief', definition });
    expect(statusAndCode(thief)).toEqual([409, 'CONFLICT']);
    // A webhook of the workspace may take it meanwhile: then the version is not activated, and nothing has changed.
    expect((await change(hook, { path: 'wanted-orders' })).status).toBe(200);
    const refused = await api('PATCH', `/api/workflows/${taker.workflowId}`, { status: 'active' });
    expect(statusAndCode(refused)).toEqual([409, 'CONFLICT']);
    expect((await send(taker.path)).status).toBe(200);
    // Deactivating is never refused.
    const stopped = await api('PATCH', `/api/workflows/${taker.workflowId}`, { status: 'inactive' });
    expect([stopped.status, (await send(taker.path)).status]).toEqual([200, 410]);
  });
});
