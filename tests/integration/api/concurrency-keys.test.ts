import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@deckhand/contracts';
import type { Database } from '@deckhand/db';
import {
  callWithKey,
  chain,
  createHook,
  createWorkflow,
  type Instance,
  sendHook,
  startInstance,
  startTestWorker,
  stopAll,
  until,
} from '../../harness/index.ts';

let instance: Instance;
let db: Database;
let workflowId: string;

beforeAll(async () => {
  instance = await startInstance();
  ({ db } = instance);
  workflowId = await createWorkflow(instance, chain({ id: 'a', type: 'set', parameters: { fields: {} } }));
});
afterAll(stopAll);

const call = callWithKey(() => instance);
const execute = (body: object, id = workflowId) => call('POST', `/api/workflows/${id}/execute`, body);
const readRun = async (id: string) => (await call('GET', `/api/executions/${id}`)).body;

async function start(concurrency: object, id = workflowId): Promise<string> {
  const { status, body, text } = await execute({ concurrency }, id);
  if (status !== 202) throw new Error(text);
  return body.executionId;
}

describe('a start with a key', () => {
  it('shows whether its run waits, and is a 409 with `reject`', async () => {
    const first = await start({ key: 'shown' });
    const second = await start({ key: 'shown' });
    expect(await readRun(first)).toMatchObject({ concurrency: { key: 'shown', limit: 1, isWaiting: false } });
    expect(await readRun(second)).toMatchObject({
      status: 'pending',
      concurrency: { key: 'shown', limit: 1, isWaiting: true },
    });
    expect(await execute({ concurrency: { key: 'shown', onLimit: 'reject' } })).toMatchObject({
      status: 409,
      body: { code: 'CONCURRENCY_LIMIT' },
    });
    expect((await readRun((await execute({})).body.executionId)).concurrency).toBeNull();
  });

  it.each<[string, JsonObject]>([
    ['concurrency.key', { limit: 1 }],
    ['concurrency.key', { key: '' }],
    ['concurrency.key', { key: 'x'.repeat(201) }],
    ['concurrency.key', { key: 'a\0b' }],
    ['concurrency.limit', { key: 'a', limit: 0 }],
    ['concurrency.limit', { key: 'a', limit: 1_001 }],
    ['concurrency.onLimit', { key: 'a', onLimit: 'drop' }],
    ['concurrency.mode', { key: 'a', mode: 'queue' }],
  ])('names %s if that is invalid', async (path, concurrency) => {
    const { status, body } = await execute({ concurrency });
    expect(status).toBe(400);
    expect(body.details?.map((issue) => issue.path)).toContain(path);
  });

  it('costs a run without one no further statement and no index entry', async () => {
    const id = (await execute({})).body.executionId;
    const [row] = await db.$queryRaw<object[]>`
      SELECT concurrency_key, concurrency_limit, holds_key, claimed_dispatch, dispatch FROM executions WHERE id = ${id}::uuid`;
    expect(row).toEqual({
      concurrency_key: null,
      concurrency_limit: null,
      holds_key: null,
      claimed_dispatch: 0,
      dispatch: 1,
    });
  });
});

describe('the key of a trigger', () => {
  const hookWith = (key: string, onLimit = 'reject') =>
    createHook(instance, { options: { concurrency: { key, onLimit } } });
  const send = (path: string, body: object) =>
    sendHook(instance.gateway, path, { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });

  it('is an expression over the trigger data', async () => {
    const { path } = await hookWith('customer-{{ $trigger.body.customer }}');
    const { body } = await send(path, { customer: 42 });
    expect(await readRun(body.executionId)).toMatchObject({ concurrency: { key: 'customer-42', limit: 1 } });
    expect(await send(path, { customer: 43 })).toMatchObject({ status: 200 });
    expect(await send(path, { customer: 42 })).toMatchObject({ status: 409, body: { code: 'CONCURRENCY_LIMIT' } });
  });

  it('may have any value, and without one the run has no limit', async () => {
    const { path } = await hookWith('{{ $trigger.body.of }}');
    const keyOf = async (of: unknown) => {
      const { body } = await send(path, { of });
      return (await readRun(body.executionId)).concurrency?.key;
    };
    expect(await keyOf({ a: 1 })).toBe('{"a":1}');
    expect(await keyOf('x'.repeat(300))).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(await keyOf(null)).toBeUndefined();
    expect(await keyOf('')).toBeUndefined();
    const failing = await hookWith('{{ $trigger.body.of.toUpperCase() }}');
    expect((await send(failing.path, { of: 1 })).status).toBe(200);
  });

  it.each([
    ['{{ $nodes.a.output }}', 'not $nodes'],
    ['{{ $vars.customer }}', 'not $vars'],
    ['{{ 1 + }}', ''],
  ])('%s is refused when the version is saved', async (key, message) => {
    const parameters = { cron: '0 0 * * *', options: { concurrency: { key } } };
    const { status, body } = await call('POST', '/api/workflows', {
      workspaceId: instance.workspaceId,
      name: 'Bad key',
      definition: { nodes: [{ id: 'tick', type: 'trigger.schedule', parameters }], edges: [] },
    });
    expect(status).toBe(400);
    expect(body.details).toEqual([
      expect.objectContaining({
        path: 'definition.nodes[0].parameters.options.concurrency.key',
        message: expect.stringContaining(message),
      }),
    ]);
  });
});

describe('with a worker', () => {
  it('as many runs as the limit are in progress, also of `workflow` nodes, and each begins as soon as one has ended', async () => {
    const worker = await startTestWorker(instance);
    const waiting = await createWorkflow(instance, chain({ id: 'rest', type: 'wait', parameters: { seconds: 0.2 } }));
    const options = { concurrency: { key: '{{ $trigger.customer }}', limit: 2 } };
    const parameters = { workflowId: waiting, options, waitForCompletion: true };
    const parent = await createWorkflow(instance, chain({ id: 'sub', type: 'workflow', parameters }));
    const starts = Array.from({ length: 8 }, (_, index) =>
      index % 2 === 0
        ? start({ key: 'c1', limit: 2 }, waiting)
        : execute({ input: { customer: 'c1' } }, parent).then(({ body }) => body.executionId),
    );
    await Promise.all(starts);
    const rows = await until(async () => {
      const found = await db.execution.findMany({ where: { workflowId: waiting } });
      return found.length === 8 && found.every(({ status }) => status === 'success') && found;
    });
    const moments = rows.map(({ startedAt }) => Number(startedAt));
    const inProgress = moments.map(
      (at) => rows.filter((run) => Number(run.startedAt) <= at && at < Number(run.finishedAt)).length,
    );
    expect(Math.max(...inProgress)).toBe(2);
    await worker.stop();
  });

  it('`cancelOldest` interrupts a run that a worker holds', async () => {
    const worker = await startTestWorker(instance);
    const slow = await createWorkflow(instance, chain({ id: 'rest', type: 'wait', parameters: { seconds: 3_600 } }));
    const first = await start({ key: 'latest', onLimit: 'cancelOldest' }, slow);
    await until(async () => (await readRun(first)).progress.rest?.status === 'waiting');
    const second = await start({ key: 'latest', onLimit: 'cancelOldest' }, slow);
    expect(await readRun(first)).toMatchObject({ status: 'stopped' });
    await until(async () => (await readRun(second)).progress.rest?.status === 'waiting');
    // The slot of a run that rests is freed by maintenance.
    const third = await start({ key: 'latest' }, slow);
    await call('POST', `/api/executions/${second}/stop`);
    await until(async () => (await readRun(third)).progress.rest?.status === 'waiting');
    await worker.stop();
  });

  it('a `workflow` node whose start is rejected fails with the code', async () => {
    const worker = await startTestWorker(instance);
    const slow = await createWorkflow(instance, chain({ id: 'rest', type: 'wait', parameters: { seconds: 3_600 } }));
    await start({ key: 'busy' }, slow);
    const parameters = { workflowId: slow, options: { concurrency: { key: 'busy', onLimit: 'reject' } } };
    const parent = await createWorkflow(instance, chain({ id: 'sub', type: 'workflow', parameters }));
    const id = (await execute({}, parent)).body.executionId;
    await until(async () => (await readRun(id)).status === 'failed');
    expect(await readRun(id)).toMatchObject({ error: { nodeId: 'sub', code: 'CONCURRENCY_LIMIT' } });
    await worker.stop();
  });
});
