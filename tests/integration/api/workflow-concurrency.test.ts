import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Definition } from '@deckhand/contracts';
import type { Database } from '@deckhand/db';
import {
  callWithKey,
  chain,
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

beforeAll(async () => {
  instance = await startInstance();
  ({ db } = instance);
});
afterAll(stopAll);

type Limit = NonNullable<NonNullable<Definition['settings']>['concurrency']>;

const call = callWithKey(() => instance);
const rest = { id: 'rest', type: 'wait', parameters: { seconds: 3_600 } };
const limited = (concurrency: Limit, definition = chain(rest)) =>
  createWorkflow(instance, { ...definition, settings: { concurrency } });
const execute = (id: string, body: object = {}, headers: Record<string, string> = {}) =>
  instance.gateway.call('POST', `/api/workflows/${id}/execute`, { as: instance.key, body, headers });
const keyOf = async (executionId: string) => (await call('GET', `/api/executions/${executionId}`)).body.concurrency;
const runsOf = (workflowId: string) => db.execution.findMany({ where: { workflowId }, orderBy: { id: 'asc' } });

describe('the limit of a workflow', () => {
  it('holds for starts by the API: one after another without a key, by the value of a key otherwise', async () => {
    const plain = await limited({});
    const [first, second] = [await execute(plain), await execute(plain)];
    expect(await keyOf(first.body.executionId)).toEqual({ key: '', limit: 1, isWaiting: false });
    expect(await keyOf(second.body.executionId)).toEqual({ key: '', limit: 1, isWaiting: true });
    const keyed = await limited({ key: 'customer {{ $trigger.customer }}', limit: 2, onLimit: 'reject' });
    for (const customer of [1, 1, 2]) expect((await execute(keyed, { input: { customer } })).status).toBe(202);
    expect(await execute(keyed, { input: { customer: 1 } })).toMatchObject({
      status: 409,
      body: { code: 'CONCURRENCY_LIMIT' },
    });
    expect(await runsOf(keyed)).toMatchObject([1, 1, 2].map((of) => ({ concurrencyKey: `customer ${of}` })));
  });

  it('gives way to the limit of a start, and to a key without a value', async () => {
    const workflowId = await limited({ key: '{{ $trigger.of }}', onLimit: 'reject' });
    const own = await execute(workflowId, { input: { of: 'a' }, concurrency: { key: 'own', limit: 5 } });
    expect(await keyOf(own.body.executionId)).toMatchObject({ key: 'own', limit: 5 });
    expect((await execute(workflowId, { input: { of: 'a' } })).status).toBe(202);
    for (const value of [null, '']) {
      const { body } = await execute(workflowId, { input: { of: value } });
      expect(await keyOf(body.executionId)).toBeNull();
    }
    const failing = await limited({ key: '{{ $trigger.of.toUpperCase() }}' });
    expect(await keyOf((await execute(failing, { input: { of: 1 } })).body.executionId)).toBeNull();
  });

  it('is that of the version that runs', async () => {
    const workflowId = await createWorkflow(instance, chain(rest));
    expect(await keyOf((await execute(workflowId)).body.executionId)).toBeNull();
    const settings = { concurrency: { key: 'new' } };
    await call('POST', `/api/workflows/${workflowId}/versions`, { definition: { ...chain(rest), settings } });
    expect(await keyOf((await execute(workflowId)).body.executionId)).toMatchObject({ key: 'new' });
  });

  it('takes no second run for a repeated request', async () => {
    const workflowId = await limited({ onLimit: 'reject' });
    const once = () => execute(workflowId, {}, { 'idempotency-key': 'once' });
    const [first, second] = [await once(), await once()];
    expect([second.status, second.body.executionId]).toEqual([202, first.body.executionId]);
    expect(await runsOf(workflowId)).toHaveLength(1);
  });

  it('stops the oldest run, and counts the runs of a batch', async () => {
    const workflowId = await limited({ onLimit: 'cancelOldest' });
    await call('POST', `/api/workflows/${workflowId}/execute/batch`, [{}, {}, {}]);
    expect((await runsOf(workflowId)).map(({ status }) => status)).toEqual(['stopped', 'stopped', 'pending']);
  });

  it('holds for webhooks', async () => {
    const nodes = [{ id: 'hook', type: 'trigger.webhook', parameters: {} }];
    const settings = { concurrency: { key: '{{ $trigger.body.of }}', onLimit: 'reject' as const } };
    const { body } = await call('POST', '/api/workflows', {
      ...{ workspaceId: instance.workspaceId, name: 'Hook', definition: { nodes, edges: [], settings } },
    });
    await call('PATCH', `/api/workflows/${body.id}`, { status: 'active' });
    const path = new URL(body.webhooks[0]?.url ?? '').pathname;
    const headers = { 'content-type': 'application/json' };
    const send = (of: string) => sendHook(instance.gateway, path, { body: JSON.stringify({ of }), headers });
    expect([(await send('a')).status, (await send('b')).status, (await send('a')).status]).toEqual([200, 200, 409]);
  });

  it.each([
    ['settings.concurrency.key', { key: '{{ $nodes.a.output }}' }],
    ['settings.concurrency.key', { key: '{{ 1 + }}' }],
    ['settings.concurrency.limit', { limit: 0 }],
    ['settings.concurrency.onLimit', { onLimit: 'drop' }],
  ])('is refused when %s is invalid', async (path, concurrency) => {
    const definition = { ...chain(rest), settings: { concurrency } };
    const { status, body } = await call('POST', '/api/workflows', {
      ...{ workspaceId: instance.workspaceId, name: 'Bad', definition },
    });
    expect([status, body.details?.map((issue) => issue.path)]).toEqual([400, [`definition.${path}`]]);
  });
});

describe('with a worker, the limit of a workflow', () => {
  it('holds for schedules, events, runs of `workflow` nodes, error workflows, reruns and bulk reruns', async () => {
    const worker = await startTestWorker(instance);
    const ticking = await limited(
      { key: 'tick {{ $trigger.nodeId }}' },
      {
        nodes: [{ id: 'tick', type: 'trigger.schedule', parameters: { cron: '0 0 1 1 *' } }, rest],
        edges: [{ source: 'tick', target: 'rest' }],
      },
    );
    await call('PATCH', `/api/workflows/${ticking}`, { status: 'active' });
    const due = new Date(Date.now() - 1_000);
    await db.schedule.updateMany({ where: { workflowId: ticking }, data: { nextFireAt: due, nextCheckAt: due } });
    await until(async () => (await runsOf(ticking))[0]?.concurrencyKey === 'tick tick', 'the scheduled run');

    const told = await limited(
      { key: '{{ $trigger.data.of }}', onLimit: 'reject' },
      {
        nodes: [{ id: 'event', type: 'trigger.event', parameters: { name: 'told' } }, rest],
        edges: [{ source: 'event', target: 'rest' }],
      },
    );
    await call('PATCH', `/api/workflows/${told}`, { status: 'active' });
    for (const customer of ['a', 'a', 'b']) {
      await call('POST', '/api/events', { workspaceId: instance.workspaceId, name: 'told', data: { of: customer } });
    }
    const matched = () => db.event.count({ where: { name: 'told', matchedAt: { not: null } } });
    await until(async () => (await matched()) === 3, 'that the events are matched');
    expect((await runsOf(told)).map(({ concurrencyKey }) => concurrencyKey).toSorted()).toEqual(['a', 'b']);

    const child = await limited({ key: '{{ $trigger.of }}', onLimit: 'reject' });
    const parameters = { workflowId: child, input: { of: '{{ $trigger.of }}' }, waitForCompletion: false };
    const parent = await createWorkflow(instance, chain({ id: 'sub', type: 'workflow', parameters }));
    const start = async () => (await execute(parent, { input: { of: 'same' } })).body.executionId;
    const statusOf = async (id: string) => (await call('GET', `/api/executions/${id}`)).body;
    const first = await start();
    await until(async () => (await statusOf(first)).status === 'success', 'the first parent');
    const second = await start();
    await until(async () => (await statusOf(second)).status === 'failed', 'the second parent');
    expect(await statusOf(second)).toMatchObject({ error: { nodeId: 'sub', code: 'CONCURRENCY_LIMIT' } });

    const reports = await limited({ key: '{{ $trigger.workflowName }}', onLimit: 'reject' });
    await call('PATCH', `/api/workflows/${reports}`, { status: 'active' });
    const failing = await createWorkflow(instance, chain({ id: 'no', type: 'fail', parameters: { message: 'No' } }));
    await call('PATCH', `/api/workflows/${failing}`, { errorWorkflowId: reports });
    const failed = [await execute(failing), await execute(failing)].map(({ body }) => body.executionId);
    // Both reports are accepted, whatever their workflow does with other starts. One begins, the other waits.
    await until(async () => (await runsOf(reports)).some(({ status }) => status === 'running'), 'a report');
    await until(async () => (await runsOf(reports)).length === 2, 'the other report');
    expect((await runsOf(reports)).map(({ holdsKey }) => holdsKey).toSorted()).toEqual([false, true]);
    expect((await runsOf(reports)).map(({ errorOf }) => errorOf).toSorted()).toEqual(failed.toSorted());

    const old = await createWorkflow(instance, chain());
    const finished = [await execute(old), await execute(old)].map(({ body }) => body.executionId);
    await until(async () => (await runsOf(old)).every(({ status }) => status === 'success'), 'the old runs');
    const settings = { concurrency: { key: 'reruns', onLimit: 'reject' } };
    await call('POST', `/api/workflows/${old}/versions`, { definition: { ...chain(rest), settings } });
    for (const id of finished) {
      expect((await call('POST', `/api/executions/${id}/rerun`, { version: 'latest' })).status).toBe(202);
    }
    const bulk = { workspaceId: instance.workspaceId, action: 'rerun', executionIds: finished };
    await call('POST', '/api/bulk-actions', bulk);
    const reruns = () => db.execution.findMany({ where: { workflowId: old, rerunOf: { not: null } } });
    await until(async () => (await reruns()).length === 4, 'the bulk reruns');
    expect((await reruns()).map(({ concurrencyKey }) => concurrencyKey)).toEqual(Array(4).fill('reruns'));
    expect((await reruns()).filter(({ holdsKey }) => holdsKey)).toHaveLength(1);
    await worker.stop();
  });
});
