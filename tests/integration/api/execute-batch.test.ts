import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  addKey,
  addPerson,
  chain,
  createWorkflow,
  type Gateway,
  type Instance,
  startGateway,
  startInstance,
  startTestWorker,
  stopAll,
  until,
} from '../../harness/index.ts';

let instance: Instance;
let replicas: readonly [Gateway, Gateway];
let workflowId: string;

beforeAll(async () => {
  instance = await startInstance();
  replicas = [instance.gateway, await startGateway(instance)];
  workflowId = await newWorkflow();
});
afterAll(stopAll);

interface Options {
  readonly id?: string;
  readonly replica?: number;
  readonly as?: string;
  readonly key?: string;
}

const newWorkflow = () => createWorkflow(instance, chain({ id: 'a', type: 'set', parameters: { fields: { n: 1 } } }));
const batch = (body: unknown, { id = workflowId, replica = 0, as = instance.key, key = '' }: Options = {}) =>
  (replicas[replica] ?? replicas[0]).call('POST', `/api/workflows/${id}/execute/batch`, {
    as,
    body,
    headers: key === '' ? {} : { 'idempotency-key': key },
  });
const runs = (id: string) => instance.db.execution.findMany({ where: { workflowId: id }, orderBy: { id: 'asc' } });
const keyed = (count: number, prefix: string) =>
  Array.from({ length: count }, (_, n) => ({ input: { n }, idempotencyKey: `${prefix}-${n}` }));
const idsOf = (items: readonly { executionId?: string }[]) => items.map(({ executionId = '' }) => executionId);

describe('a batch', () => {
  it('starts a run for each item, which succeed with their own input and options', async () => {
    const id = await newWorkflow();
    const items = Array.from({ length: 300 }, (_, n) => ({ input: { n }, tags: [`n${n}`] }));
    const { status, body } = await batch(items, { id });
    expect([status, body.accepted, body.refused]).toEqual([200, 300, 0]);
    expect(body.items[0]).toEqual({
      status: 202,
      executionId: body.items[0]?.executionId,
      message: 'The run is queued',
      isRepeated: false,
    });
    const stored = new Map((await runs(id)).map((run) => [run.id, run]));
    expect(stored.size).toBe(300);
    idsOf(body.items).forEach((executionId, n) => {
      expect(stored.get(executionId)).toMatchObject({ triggerData: `{"n":${n}}`, tags: [`n${n}`], source: 'api' });
    });
    const worker = await startTestWorker(instance);
    const left = () => instance.db.execution.count({ where: { workflowId: id, status: { not: 'success' } } });
    await until(async () => (await left()) === 0, 'all runs');
    await worker.stop();
  });

  it('refuses single items, each with its own error, and starts the others', async () => {
    const id = await newWorkflow();
    const { status, body } = await batch(
      [
        { input: { n: 0 } },
        { tags: ['a b'] },
        { input: { text: 'x\0y' } },
        { triggerNodeId: 'nowhere' },
        { version: '01a1fb35-e8df-7352-8660-75a19a555603' },
        { startAt: '2020-01-01T00:00:00Z', delay: 1 },
        { metadata: { text: 'x'.repeat(17_000) } },
        { idempotencyKey: 'a b' },
        5,
        { inputs: {} },
        { input: { n: 10 }, delay: 3_600 },
      ],
      { id },
    );
    expect(status).toBe(200);
    expect(body.items.map((item) => ('code' in item ? [item.status, item.details] : item.message))).toEqual([
      'The run is queued',
      [400, [expect.objectContaining({ path: 'tags[0]' })]],
      [400, [{ path: 'input.text', message: 'holds a NUL character' }]],
      [400, [expect.objectContaining({ path: 'triggerNodeId' })]],
      [400, [expect.objectContaining({ path: 'version' })]],
      [400, [expect.objectContaining({ path: 'delay' })]],
      [400, [expect.objectContaining({ path: 'metadata' })]],
      [400, [expect.objectContaining({ path: 'idempotencyKey' })]],
      [400, [expect.objectContaining({ path: '' })]],
      [400, [expect.objectContaining({ path: 'inputs' })]],
      'The run is accepted and starts later',
    ]);
    expect([body.accepted, body.refused]).toEqual([2, 9]);
    expect((await runs(id)).map(({ triggerData }) => triggerData)).toEqual(['{"n":0}', '{"n":10}']);
  });

  it.each([
    ['no array', {}],
    ['an empty array', []],
    ['more than 1,000 items', Array.from({ length: 1_001 }, () => ({}))],
    ['no body', undefined],
  ])('is refused as a whole: %s', async (_, body) => {
    const before = await instance.db.execution.count();
    expect(await batch(body)).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
    expect(await instance.db.execution.count()).toBe(before);
  });

  it('is for whoever may start a single run of the workflow', async () => {
    const ownerId = (await instance.db.membership.findFirstOrThrow({ where: { role: 'owner' } })).userId;
    const keyOf = async (...scopes: string[]) => (await addKey(instance, ownerId, { scopes })).key;
    const other = await newWorkflow();
    const statuses = [
      await batch([{}], { as: await keyOf('workflows:execute') }),
      await batch([{}], { as: await keyOf(`workflows:execute:${workflowId}`) }),
      await batch([{}], { as: await keyOf('workflows:write') }),
      await batch([{}], { as: await keyOf(`workflows:execute:${other}`) }),
      await batch([{}], { as: await keyOf('executions:write') }),
      await batch([{}], { as: (await addPerson(instance, 'viewer')).session }),
      await batch([{}], { as: (await addPerson(instance)).session }),
      await batch([{}], { id: '01a1fb35-e8df-7352-8660-75a19a555603' }),
    ].map(({ status }) => status);
    expect(statuses).toEqual([200, 200, 200, 403, 403, 403, 404, 404]);
  });

  it('counts each item towards the runs per minute, and refuses those beyond', async () => {
    const limit = async (executionsPerMinute: number | null, storageQuotaBytes: number | null = null) => {
      const path = `/api/admin/workspaces/${instance.workspaceId}/limits`;
      const body = { executionsPerMinute, storageQuotaBytes };
      expect((await instance.gateway.call('PUT', path, { as: instance.session, body })).status).toBe(200);
    };
    await limit(7);
    const { body, headers } = await batch(Array.from({ length: 10 }, () => ({})));
    expect([body.accepted, body.refused, headers.get('ratelimit')?.split(';')[1]]).toEqual([7, 3, 'r=0']);
    const refused = body.items.filter((item) => 'code' in item);
    expect(refused.map(({ status, code, details }) => ({ status, code, details }))).toEqual(
      Array.from({ length: 3 }, () => ({
        status: 429,
        code: 'workspace_rate_limited',
        details: { limit: 7, windowSeconds: 60, retryAfterSeconds: expect.any(Number) },
      })),
    );
    await limit(null, 1);
    await instance.db.workspace.updateMany({ data: { storedBytes: 2 } });
    const full = await batch([{}, {}]);
    expect(full.body.items.map((item) => ('code' in item ? [item.status, item.code] : []))).toEqual([
      [413, 'workspace_over_quota'],
      [413, 'workspace_over_quota'],
    ]);
    await limit(null);
  });
});

describe('a repeated batch', () => {
  it('starts nothing again: each item has the run of its key', async () => {
    const id = await newWorkflow();
    const first = await batch(keyed(250, 'order'), { id });
    const again = await batch(keyed(250, 'order').reverse(), { id, replica: 1 });
    expect(idsOf(again.body.items).reverse()).toEqual(idsOf(first.body.items));
    expect(again.body.items.every((item) => 'isRepeated' in item && item.isRepeated)).toBe(true);
    expect(await runs(id)).toHaveLength(250);
    const other = await batch([{ input: { n: 9 }, idempotencyKey: 'order-1' }, { idempotencyKey: 'order-x' }], { id });
    expect(other.body.items.map((item) => ('code' in item ? item.code : item.isRepeated))).toEqual(['CONFLICT', false]);
  });

  it('shares its keys with single starts', async () => {
    const id = await newWorkflow();
    const single = await instance.gateway.call('POST', `/api/workflows/${id}/execute`, {
      as: instance.key,
      body: { input: { n: 0 }, delay: 3_600 },
      headers: { 'idempotency-key': 'one' },
    });
    const { body } = await batch([{ input: { n: 0 }, delay: 3_600, idempotencyKey: 'one' }], { id });
    expect(body.items).toEqual([
      {
        status: 202,
        executionId: single.body.executionId,
        message: 'The run is accepted and starts later',
        isRepeated: true,
      },
    ]);
  });

  it('may be known by one header, which stands for each position', async () => {
    const id = await newWorkflow();
    const items = [{ input: { n: 0 } }, { input: { n: 0 } }, { idempotencyKey: 'own' }];
    const first = await batch(items, { id, key: 'monday' });
    const again = await batch(items, { id, key: 'monday', replica: 1 });
    expect(idsOf(again.body.items)).toEqual(idsOf(first.body.items));
    expect(await runs(id)).toHaveLength(3);
    expect((await batch([{ input: { n: 1 } }], { id, key: 'monday' })).body.items[0]).toMatchObject({ status: 409 });
  });

  it('gives one run to items with the same key and body, and only to those that can have it', async () => {
    const id = await newWorkflow();
    const same = { idempotencyKey: 'same' };
    const { body } = await batch([{ ...same, triggerNodeId: 'nowhere' }, same, same, { ...same, tags: ['a'] }], { id });
    const [refused, first, second, other] = body.items;
    expect([refused, other]).toMatchObject([{ status: 400 }, { status: 409, code: 'CONFLICT' }]);
    expect([first, second]).toMatchObject([{ isRepeated: false }, { isRepeated: true }]);
    expect(idsOf([first!])).toEqual(idsOf([second!]));
    expect(await runs(id)).toHaveLength(1);
  });

  it('has one run for each key when many arrive at the same time, in opposite orders, and none is dropped', async () => {
    const id = await newWorkflow();
    const deadlocks = async () =>
      (
        await instance.db.$queryRaw<{ deadlocks: bigint }[]>`
        SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()`
      )[0]?.deadlocks;
    const before = await deadlocks();
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, n) => {
        const items = keyed(400, 'rush');
        return batch(n % 2 === 0 ? items : items.reverse(), { id, replica: Math.floor(n / 2) % 2 });
      }),
    );
    const found = answers.map(({ body }, n) => (n % 2 === 0 ? idsOf(body.items) : idsOf(body.items).reverse()));
    for (const ids of found) expect(ids).toEqual(found[0]);
    expect(await runs(id)).toHaveLength(400);
    const fresh = answers.flatMap(({ body }) => body.items).filter((item) => 'code' in item || !item.isRepeated);
    expect(fresh).toHaveLength(400);
    expect(await deadlocks()).toBe(before);
  });

  it('starts what the first did not, where the caller left in between', async () => {
    const id = await newWorkflow();
    const gone = new AbortController();
    const sent = fetch(`${replicas[0].url}/api/workflows/${id}/execute/batch`, {
      method: 'POST',
      headers: { 'x-api-key': instance.key, 'content-type': 'application/json' },
      body: JSON.stringify(keyed(1_000, 'lost')),
      signal: gone.signal,
    });
    sent.catch(() => undefined);
    await until(async () => (await runs(id)).length > 0, 'the first runs');
    gone.abort();
    const again = await batch(keyed(1_000, 'lost'), { id, replica: 1 });
    expect(again.body.accepted).toBe(1_000);
    const ids = new Set(idsOf(again.body.items));
    expect(new Set((await runs(id)).map((run) => run.id))).toEqual(ids);
    expect(ids.size).toBe(1_000);
  });
});
