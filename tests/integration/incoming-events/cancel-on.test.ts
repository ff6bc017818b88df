import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import {
  callWithKey,
  createWorkflow,
  type Instance,
  startInstance,
  startTestWorker,
  stopAll,
  until,
} from '../../harness/index.ts';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance();
});
afterAll(stopAll);

const call = callWithKey(() => instance);

const CANCEL_ON = [{ name: 'order.cancelled', key: '{{ $trigger.order }}' }, { name: 'everything.stops' }];

const waiting = (cancelOn: object = CANCEL_ON) => ({
  nodes: [
    { id: 'start', type: 'trigger.manual' },
    { id: 'ask', type: 'approval', parameters: { message: 'Go on?' } },
  ],
  edges: [{ source: 'start', target: 'ask' }],
  settings: { cancelOn },
});

const start = async (workflowId: string, input: object): Promise<string> =>
  (await call('POST', `/api/workflows/${workflowId}/execute`, { input })).body.executionId;
const errorOf = async (id: string) => (await call('GET', `/api/executions/${id}`)).body.error;
/** The error of a run that the event stopped. */
const stoppedBy = (name: string) => ({
  ...{ code: 'STOPPED_BY_EVENT', nodeId: null },
  message: expect.stringMatching(new RegExp(`^the event ${name} \\(.+\\) stopped the run$`)),
});
const statusOf = async (id: string) => (await call('GET', `/api/executions/${id}`)).body.status;
const becomes = (id: string, status: string) => until(async () => (await statusOf(id)) === status, status);

/** Sends an event, and waits until it is matched. */
async function send(name: string, key?: string): Promise<void> {
  const { workspaceId, db } = instance;
  const { body } = await call('POST', '/api/events', { workspaceId, name, ...(key === undefined ? {} : { key }) });
  const row = () => db.event.findFirstOrThrow({ where: { workspaceId, eventId: body.id } });
  await until(async () => (await row()).matchedAt !== null, 'that the event is matched');
}

describe('a run that an event stops', () => {
  it('before it begins starts no node', async () => {
    const workflowId = await createWorkflow(instance, waiting());
    const [stopped, other] = [await start(workflowId, { order: 'A-0' }), await start(workflowId, { order: 'A-9' })];
    await call('POST', '/api/events', { workspaceId: instance.workspaceId, name: 'order.cancelled', key: 'A-0' });
    const worker = await startTestWorker(instance);
    await becomes(other, 'waiting_for_input');
    await becomes(stopped, 'stopped');
    expect(await errorOf(stopped)).toEqual(stoppedBy('order.cancelled'));
    expect(await instance.db.nodeRun.count({ where: { executionId: stopped } })).toBe(0);
    await worker.stop();
  });

  it('while it waits is stopped with its event, and no run with another key, or without one', async () => {
    const worker = await startTestWorker(instance);
    const workflowId = await createWorkflow(instance, waiting());
    const runs = [await start(workflowId, { order: 'A-1' }), await start(workflowId, { order: 'A-1' })];
    const others = [await start(workflowId, { order: 'A-2' }), await start(workflowId, {})];
    for (const id of [...runs, ...others]) await becomes(id, 'waiting_for_input');
    await send('order.cancelled', 'A-1');
    for (const id of runs) expect(await statusOf(id)).toBe('stopped');
    for (const id of others) expect(await statusOf(id)).toBe('waiting_for_input');
    await send('everything.stops');
    for (const id of others) expect(await statusOf(id)).toBe('stopped');
    expect(await errorOf(runs[0] ?? '')).toEqual(stoppedBy('order.cancelled'));
    expect(await errorOf(others[0] ?? '')).toEqual(stoppedBy('everything.stops'));
    await worker.stop();
  });

  it('is not stopped by an event before the start that was joined last', async () => {
    const workflowId = await createWorkflow(instance, waiting());
    const begin = async (order: string) => {
      const debounce = { key: 'A', delay: 60 };
      const body = { input: { order }, debounce };
      return (await call('POST', `/api/workflows/${workflowId}/execute`, body)).body.executionId;
    };
    const id = await begin('A-6');
    const worker = await startTestWorker(instance);
    await send('order.cancelled', 'A-6');
    expect(await begin('A-6')).toBe(id);
    await instance.db.execution.update({ where: { id }, data: { wakeAt: new Date() } });
    await becomes(id, 'waiting_for_input');
    await send('order.cancelled', 'A-6');
    expect(await statusOf(id)).toBe('stopped');
    await worker.stop();
  });

  it('takes the runs of its workflow nodes along', async () => {
    const worker = await startTestWorker(instance);
    const child = await createWorkflow(instance, waiting([]));
    const workflowId = await createWorkflow(instance, {
      nodes: [
        { id: 'start', type: 'trigger.manual' },
        { id: 'call', type: 'workflow', parameters: { workflowId: child } },
      ],
      edges: [{ source: 'start', target: 'call' }],
      settings: { cancelOn: CANCEL_ON },
    });
    const id = await start(workflowId, { order: 'A-3' });
    const childOf = () => instance.db.execution.findFirst({ where: { parentExecutionId: id } });
    await until(async () => (await childOf())?.status === 'waiting_for_input', 'the child');
    await send('order.cancelled', 'A-3');
    await until(async () => (await childOf())?.status === 'stopped', 'the end of the child');
    await worker.stop();
  });

  it('was not finished before, and leaves no open wait when it finishes', async () => {
    const worker = await startTestWorker(instance);
    const definition = {
      nodes: [{ id: 'start', type: 'trigger.manual' }],
      edges: [],
      settings: { cancelOn: CANCEL_ON },
    };
    const id = await start(await createWorkflow(instance, definition), { order: 'A-4' });
    await becomes(id, 'success');
    expect(await instance.db.wait.count({ where: { executionId: id, answeredAt: null } })).toBe(0);
    await send('order.cancelled', 'A-4');
    expect(await statusOf(id)).toBe('success');
    await worker.stop();
  });

  it('is not one of the sandbox, or that the event has started', async () => {
    const worker = await startTestWorker(instance);
    const workflowId = await createWorkflow(instance, {
      ...waiting([{ name: 'restart' }]),
      nodes: [
        { id: 'start', type: 'trigger.event', parameters: { name: 'restart' } },
        { id: 'ask', type: 'approval', parameters: { message: 'Go on?' } },
      ],
    });
    await call('PATCH', `/api/workflows/${workflowId}`, { status: 'active' });
    const runs = () => instance.db.execution.findMany({ where: { workflowId }, orderBy: { id: 'asc' } });
    const statuses = async () => (await runs()).map(({ status }) => status);
    await send('restart');
    await until(async () => (await statuses()).join() === 'waiting_for_input', 'the first run');
    await send('restart');
    await until(async () => (await statuses()).join() === 'stopped,waiting_for_input', 'the second run');
    await worker.stop();
  });
});

it('an expression of cancelOn is checked when the version is saved', async () => {
  const definition = waiting([{ name: 'a' }, { name: 'b', key: '{{ $input.order }}' }]);
  const body = { workspaceId: instance.workspaceId, name: uuidv7(), definition };
  const { status, body: refused } = await call('POST', '/api/workflows', body);
  expect([status, refused]).toMatchObject([400, { details: [{ path: 'definition.settings.cancelOn[1].key' }] }]);
});

it('a workflow without cancelOn has no wait', async () => {
  const worker = await startTestWorker(instance);
  const id = await start(await createWorkflow(instance, waiting([])), { order: 'A-5' });
  await becomes(id, 'waiting_for_input');
  expect(await instance.db.wait.count({ where: { executionId: id } })).toBe(1);
  await worker.stop();
});
