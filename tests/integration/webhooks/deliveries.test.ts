import { insertDeliveries, pruneDeliveries } from '@deckhand/db';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  addKey,
  addPerson,
  type Call,
  createHook,
  type Gateway,
  type Hook,
  hookDefinition,
  type HookOptions,
  type Instance,
  sendHook,
  startGateway,
  startInstance,
  startTestWorker,
  stopAll,
  until,
} from '../../harness/index.ts';

let instance: Instance;
let other: Gateway;

beforeAll(async () => {
  instance = await startInstance();
  other = await startGateway(instance);
  await startTestWorker(instance);
});
afterAll(stopAll);

const api: Call<[body?: unknown, as?: string]> = (method, path, body, as = instance.session) =>
  instance.gateway.call(method, path, { as, ...(body === undefined ? {} : { body }) });
const list = async ({ workflowId }: Hook, query = '', as?: string) =>
  api('GET', `/api/workflows/${workflowId}/deliveries${query}`, undefined, as);
const logged = (hook: Hook, count: number) =>
  until(async () => {
    const { body } = await list(hook, '?limit=500');
    return body.data.length === count && body;
  });

describe('the log of requests', () => {
  it('has every one of a workflow, refused ones too, the newest first', async () => {
    const settings = { rateLimit: { max: 2, windowSeconds: 60 } };
    const hook = await createHook(instance, { secret: 'sesame' }, { settings });
    const headers = { 'x-webhook-secret': 'sesame' };
    const sent = [
      await sendHook(instance.gateway, hook.path),
      await sendHook(instance.gateway, hook.path, { method: 'GET' }),
      await sendHook(other, hook.path, { headers }),
      await sendHook(instance.gateway, hook.path, { headers, body: new Uint8Array(10_485_761) }),
      await sendHook(instance.gateway, hook.path, { headers }),
    ];
    await api('PATCH', `/api/workflows/${hook.workflowId}`, { status: 'inactive' });
    sent.push(await sendHook(instance.gateway, hook.path, { headers }));
    await sendHook(instance.gateway, hook.path, { method: 'OPTIONS' });
    const { data, hasMore, limit, offset } = await logged(hook, 6);
    expect([hasMore, limit, offset]).toEqual([false, 500, 0]);
    const bySent = (a: { at: string }, b: { at: string }) => a.at.localeCompare(b.at);
    const seen = [...data].sort(bySent);
    expect(seen.map(({ status, errorCode }) => [status, errorCode])).toEqual([
      [401, 'UNAUTHORIZED'],
      [405, 'METHOD_NOT_ALLOWED'],
      [200, null],
      [413, 'PAYLOAD_TOO_LARGE'],
      [429, 'RATE_LIMITED'],
      [410, 'WEBHOOK_INACTIVE'],
    ]);
    expect(seen.map(({ status }) => status)).toEqual(sent.map(({ status }) => status));
    expect(seen.map(({ method }) => method)).toEqual(['POST', 'GET', 'POST', 'POST', 'POST', 'POST']);
    expect(seen.map(({ executionId }) => executionId)).toEqual([
      null,
      null,
      sent[2]?.body.executionId,
      null,
      null,
      null,
    ]);
    for (const { nodeId, isTest, durationMs } of seen) {
      expect([nodeId, isTest, durationMs >= 0]).toEqual(['hook', false, true]);
    }
  });

  it('says how long a caller waited, and which run failed it', async () => {
    const failing: HookOptions['nodes'] = [
      { id: 'w', type: 'wait', parameters: { seconds: 0.3 } },
      { id: 'no', type: 'fail', parameters: { message: 'no' } },
    ];
    const hook = await createHook(instance, { responseMode: 'onCompletion' }, { nodes: failing });
    const { body } = await sendHook(instance.gateway, hook.path);
    const { data } = await logged(hook, 1);
    expect(data[0]).toMatchObject({ status: 500, errorCode: 'EXECUTION_FAILED', executionId: body.executionId });
    expect(data[0]!.durationMs).toBeGreaterThanOrEqual(300);
  });

  it('keeps the last 500, by pages, and goes with its workflow', async () => {
    const [hook, second] = [await createHook(instance, {}), await createHook(instance, {})];
    await sendHook(instance.gateway, second.path);
    const ids: string[] = [];
    for (let round = 0; round < 7; round += 1) {
      const answers = await Promise.all(Array.from({ length: 100 }, () => sendHook(instance.gateway, hook.path)));
      ids.push(...answers.map(({ body }) => body.executionId));
    }
    const { workflowId } = hook;
    const isThere = async (executionId: string) =>
      (await instance.db.webhookDelivery.count({ where: { workflowId, executionId } })) === 1;
    await until(() => isThere(ids.at(-1) ?? ''));
    await instance.gateway.services.webhooks.deliveries.flush();
    const { body } = await list(hook, '?includeTotal=true&limit=100&offset=450');
    expect([body.total, body.data.length, body.hasMore]).toEqual([500, 50, false]);
    const kept = await instance.db.webhookDelivery.findMany({ where: { workflowId } });
    const newest = new Set(ids.slice(200));
    expect(kept.filter(({ executionId }) => !newest.has(executionId ?? ''))).toEqual([]);
    expect((await list(second)).body.data.length).toBe(1);
    await api('DELETE', `/api/workflows/${workflowId}`);
    expect(await instance.db.webhookDelivery.count({ where: { workflowId } })).toBe(0);
  });

  it('leaves to another what that one is deleting', async () => {
    const { db } = instance;
    const { workflowId } = await createHook(instance, {});
    const record = { workflowId, nodeId: 'hook', isTest: false, method: 'POST', status: 200, durationMs: 1 };
    const written = { ...record, at: new Date(), executionId: null, errorCode: null };
    await insertDeliveries(
      db,
      Array.from({ length: 510 }, () => written),
    );
    await db.$transaction(async (tx) => {
      await tx.$queryRaw`
        SELECT id FROM webhook_deliveries WHERE workflow_id = ${workflowId}::uuid ORDER BY id LIMIT 4 FOR UPDATE`;
      await pruneDeliveries(db, [workflowId]);
    });
    expect(await db.webhookDelivery.count({ where: { workflowId } })).toBe(504);
    await pruneDeliveries(db, [workflowId]);
    expect(await db.webhookDelivery.count({ where: { workflowId } })).toBe(500);
  });

  it('is for members only, and has no payload', async () => {
    const hook = await createHook(instance, {});
    await sendHook(instance.gateway, `${hook.path}?q=tell-nobody`, { body: 'tell-nobody' });
    const { data } = await logged(hook, 1);
    expect(JSON.stringify(data)).not.toContain('tell-nobody');
    const [viewer, stranger] = [await addPerson(instance, 'viewer'), await addPerson(instance)];
    expect((await list(hook, '', viewer.session)).status).toBe(200);
    expect((await list(hook, '', stranger.session)).status).toBe(404);
    expect((await list(hook, '?limit=501')).body.limit).toBe(500);
  });

  it('that cannot be written keeps nobody waiting', async () => {
    const hook = await createHook(instance, {});
    await instance.db.$executeRaw`ALTER TABLE webhook_deliveries RENAME TO away`;
    try {
      const answers = await Promise.all(Array.from({ length: 20 }, () => sendHook(instance.gateway, hook.path)));
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
      const failed = () =>
        instance.gateway.log
          .filter((line) => line.includes('failed to log requests'))
          .reduce((sum, line) => sum + (JSON.parse(line) as { requests: number }).requests, 0);
      await until(() => failed() === answers.length);
    } finally {
      await instance.db.$executeRaw`ALTER TABLE away RENAME TO webhook_deliveries`;
    }
    await sendHook(instance.gateway, hook.path);
    await logged(hook, 1);
  });
});

describe('the test URL', () => {
  const openTest = (hook: Hook, as?: string) =>
    api('POST', `/api/workflows/${hook.workflowId}/webhooks/hook/test`, undefined, as);

  it('runs the latest version in test mode, of a draft too, at every gateway', async () => {
    const hook = await createHook(instance, { responseCode: 201 }, { isActive: false });
    const test = hook.path.replace('/webhook/', '/webhook-test/');
    expect((await sendHook(instance.gateway, test)).status).toBe(404);
    const opened = await openTest(hook);
    expect([opened.status, new URL(opened.body.url).pathname]).toEqual([200, test]);
    const seconds = (Date.parse(opened.body.expiresAt) - Date.now()) / 1_000;
    expect([seconds > 100, seconds <= 121]).toEqual([true, true]);
    for (const gateway of [instance.gateway, other]) {
      const { status, body } = await sendHook(gateway, test);
      expect(status).toBe(201);
      const run = await instance.db.execution.findUniqueOrThrow({ where: { id: body.executionId } });
      expect(run).toMatchObject({ executionMode: 'test', source: 'webhook' });
    }
    await api('POST', `/api/workflows/${hook.workflowId}/versions`, {
      definition: hookDefinition({ responseCode: 202 }),
    });
    expect((await sendHook(other, test)).status).toBe(202);
    // The production URL of the draft still accepts nothing.
    expect((await sendHook(instance.gateway, hook.path)).status).toBe(410);
    const { data } = await logged(hook, 4);
    expect(data.filter(({ isTest }) => isTest).length).toBe(3);
  });

  it('closes by itself, and with a change of the URL', async () => {
    const hook = await createHook(instance, {});
    const test = hook.path.replace('/webhook/', '/webhook-test/');
    await openTest(hook);
    expect((await sendHook(instance.gateway, test)).status).toBe(200);
    const { workflowId } = hook;
    await instance.db.webhook.updateMany({ where: { workflowId }, data: { testUntil: new Date(Date.now() - 1) } });
    expect((await sendHook(instance.gateway, test)).status).toBe(404);
    await openTest(hook);
    const { body } = await api('POST', `/api/workflows/${workflowId}/webhooks/hook/url`);
    const moved = new URL(body.url).pathname.replace('/webhook/', '/webhook-test/');
    expect([(await sendHook(other, test)).status, (await sendHook(other, moved)).status]).toEqual([404, 404]);
  });

  it('is opened by editors, and by keys that may change workflows, and stays theirs', async () => {
    const hook = await createHook(instance, {});
    const test = hook.path.replace('/webhook/', '/webhook-test/');
    const [editor, viewer, stranger] = [
      await addPerson(instance, 'editor'),
      await addPerson(instance, 'viewer'),
      await addPerson(instance),
    ];
    const { userId } = await instance.db.session.findFirstOrThrow();
    const { key } = await addKey(instance, userId, { scopes: ['workflows:read'] });
    const refused = [key, viewer.session, stranger.session];
    const statuses: number[] = [];
    for (const as of refused) statuses.push((await openTest(hook, as)).status);
    expect(statuses).toEqual([403, 403, 404]);
    expect((await sendHook(instance.gateway, test)).status).toBe(404);
    await openTest(hook, editor.session);
    expect((await sendHook(instance.gateway, test)).status).toBe(200);
    await instance.db.membership.deleteMany({ where: { userId: editor.userId } });
    expect((await sendHook(instance.gateway, test)).status).toBe(404);
  });

  it('asks for the secret like the other', async () => {
    const hook = await createHook(instance, { secret: 'sesame' }, { isActive: false });
    const test = hook.path.replace('/webhook/', '/webhook-test/');
    await openTest(hook);
    const answers = [
      await sendHook(instance.gateway, test),
      await sendHook(instance.gateway, test, { headers: { 'x-webhook-secret': 'sesame' } }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([401, 200]);
  });
});
