import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ServerResponse } from 'node:http';
import {
  callWithKey,
  chain,
  createWorkflow,
  expectWithin,
  type Instance,
  itInTime,
  startInstance,
  startTestWorker,
  stopAll,
  timed,
  until,
} from '../../harness/index.ts';
import { serve } from '../../harness/serve.ts';

afterAll(stopAll);

let instance: Instance;
/** Calls that last until the test ends them, by run and node. */
const held: ServerResponse[] = [];
let slow: string;
/** The keys of calls that fail at first. */
const keys: string[] = [];
let flaky: string;

beforeAll(async () => {
  instance = await startInstance();
  await startTestWorker(instance);
  ({ url: slow } = await serve((_request, response) => void held.push(response)));
  ({ url: flaky } = await serve((request, response) => {
    keys.push(String(request.headers['idempotency-key']));
    response.writeHead(keys.length === 1 ? 503 : 200, { 'content-type': 'application/json' }).end('{}');
  }));
});

const call = callWithKey(() => instance);
const read = async (id: string) => (await call('GET', `/api/executions/${id}`)).body;
const row = (id: string) => instance.db.execution.findUniqueOrThrow({ where: { id } });

async function start(definition: object): Promise<string> {
  const workflowId = await createWorkflow(instance, definition);
  return (await call('POST', `/api/workflows/${workflowId}/execute`, { input: {} })).body.executionId;
}

const trigger = { id: 'start', type: 'trigger.manual' };
const after = { id: 'after', type: 'set', parameters: { fields: { done: true } } };
/** Duration of waits beside a call. */
const WAIT_SECONDS = 0.5;

describe('beside a call that continues', () => {
  it.each([
    [{ id: 'it', type: 'wait', parameters: { seconds: WAIT_SECONDS } }, 'success'],
    [
      { id: 'it', type: 'approval', onError: 'branch', parameters: { message: '?', timeoutSeconds: WAIT_SECONDS } },
      'failed',
    ],
    [
      {
        id: 'it',
        type: 'human',
        onError: 'continue',
        parameters: { title: '?', schema: {}, timeoutSeconds: WAIT_SECONDS },
      },
      'failed',
    ],
  ])(
    'a node that waits ends on time: $type',
    timed(async (node, status) => {
      const handle = node.type === 'approval' ? { sourceHandle: 'error' } : {};
      const id = await start({
        nodes: [trigger, { id: 'call', type: 'http', parameters: { url: slow } }, node, after],
        edges: [
          { source: 'start', target: 'call' },
          { source: 'start', target: 'it' },
          { source: 'it', target: 'after', ...handle },
        ],
      });
      await until(async () => (await read(id)).progress.after?.status === 'success', 'what comes after it');
      expect((await read(id)).progress).toMatchObject({ call: { status: 'running' }, it: { status } });
      const { it: ended } = (await read(id)).progress;
      await until(() => held.length > 0, 'the call');
      for (const response of held.splice(0)) response.writeHead(200).end();
      await until(async () => (await read(id)).status === 'success', 'the end');
      expectWithin(
        { what: `${node.type} ends`, ms: WAIT_SECONDS * 1_000 },
        Date.parse(ended!.finishedAt!) - Date.parse(ended!.startedAt!),
      );
    }),
  );

  itInTime('waits of one run end one after another, each on time', async () => {
    const id = await start({
      nodes: [
        trigger,
        { id: 'call', type: 'http', parameters: { url: slow } },
        { id: 'first', type: 'wait', parameters: { seconds: WAIT_SECONDS } },
        { id: 'second', type: 'wait', parameters: { seconds: WAIT_SECONDS } },
        after,
      ],
      edges: [
        { source: 'start', target: 'call' },
        { source: 'start', target: 'first' },
        { source: 'first', target: 'second' },
        { source: 'second', target: 'after' },
      ],
    });
    await until(async () => (await read(id)).progress.after?.status === 'success', 'what comes after them');
    const { progress } = await read(id);
    expect(progress.call!.status).toBe('running');
    await call('POST', `/api/executions/${id}/stop`);
    held.splice(0);
    expectWithin(
      { what: 'two waits end', ms: 2 * WAIT_SECONDS * 1_000 },
      Date.parse(progress.second!.finishedAt!) - Date.parse(progress.first!.startedAt!),
    );
  });
});

describe('a long delay before a next attempt', () => {
  it('holds no worker, and the next attempt has the same key', async () => {
    const retry = { maxAttempts: 3, delayMs: 3_600_000, maxDelayMs: 3_600_000 };
    const id = await start({
      nodes: [trigger, { id: 'call', type: 'http', parameters: { url: flaky }, retry }],
      edges: [{ source: 'start', target: 'call' }],
    });
    await until(async () => (await row(id)).wakeAt !== null, 'the rest');
    expect(await row(id)).toMatchObject({ status: 'running', workerId: null });
    expect(await read(id)).toMatchObject({
      status: 'running',
      currentNodeId: 'call',
      progress: { call: { status: 'waiting', attempts: 1, finishedAt: null, error: { code: expect.any(String) } } },
    });
    // Pausing and resuming does not shorten it.
    await call('POST', `/api/executions/${id}/pause`);
    await call('POST', `/api/executions/${id}/resume`);
    await until(async () => (await row(id)).wakeAt !== null, 'the rest again');
    expect(keys).toHaveLength(1);

    await instance.db.$executeRaw`UPDATE waits SET due_at = now() WHERE execution_id = ${id}::uuid`;
    await instance.db.$executeRaw`UPDATE executions SET wake_at = now() WHERE id = ${id}::uuid`;
    await until(async () => (await read(id)).status === 'success', 'the end');
    const { progress } = await read(id);
    expect(progress.call).toMatchObject({ status: 'success', attempts: 2 });
    expect(progress.call).not.toHaveProperty('error');
    const time = expect.any(String);
    expect(progress.call?.attemptHistory).toEqual([
      { startedAt: time, finishedAt: time, error: { code: 'HTTP_STATUS', message: time } },
      { startedAt: time, finishedAt: progress.call?.finishedAt, error: null },
    ]);
    expect(keys).toEqual([`${id}:call`, `${id}:call`]);
  });

  it('and the attempts around it are listed with their iteration', async () => {
    keys.splice(0);
    const retry = { maxAttempts: 2, delayMs: 1 };
    const id = await start({
      nodes: [
        trigger,
        { id: 'each', type: 'loop', parameters: { items: '{{ [1, 2] }}' } },
        { id: 'call', type: 'http', parameters: { url: flaky }, retry },
      ],
      edges: [
        { source: 'start', target: 'each' },
        { source: 'each', sourceHandle: 'body', target: 'call' },
      ],
    });
    await until(async () => (await read(id)).status === 'success', 'the end');
    const { body } = await call('GET', `/api/executions/${id}/nodes/call/iterations`);
    const first = { attempts: 2, attemptHistory: [{ error: { code: expect.any(String) } }, { error: null }] };
    expect(body.data).toMatchObject([first, { attempts: 1 }]);
    expect(body.data[1]).not.toHaveProperty('attemptHistory');
    expect((await read(id)).progress.call).not.toHaveProperty('attemptHistory');
  });

  it('ends with a run that is stopped', async () => {
    keys.splice(0);
    const retry = { maxAttempts: 3, delayMs: 3_600_000, maxDelayMs: 3_600_000 };
    const id = await start({
      nodes: [trigger, { id: 'call', type: 'http', parameters: { url: flaky }, retry }],
      edges: [{ source: 'start', target: 'call' }],
    });
    await until(async () => (await row(id)).wakeAt !== null, 'the rest');
    await call('POST', `/api/executions/${id}/stop`);
    expect(await read(id)).toMatchObject({ status: 'stopped', progress: { call: { status: 'stopped', attempts: 1 } } });
    expect((await row(id)).wakeAt).toBeNull();
  });
});

describe('a run that a limit of its workspace delays', () => {
  it('is started later, and its parent rests until then', async () => {
    const { workspaceId } = instance;
    const child = await createWorkflow(instance, chain(after));
    await instance.db.workspace.update({ where: { id: workspaceId }, data: { executionsPerMinute: 1 } });
    const limited = await start({
      nodes: [trigger, { id: 'child', type: 'workflow', parameters: { workflowId: child } }],
      edges: [{ source: 'start', target: 'child' }],
    });
    await until(async () => (await row(limited)).wakeAt !== null, 'the rest');
    expect(await row(limited)).toMatchObject({ status: 'running', workerId: null });
    expect((await read(limited)).progress.child).toMatchObject({
      status: 'waiting',
      attempts: 1,
      error: { code: 'WORKFLOW_NOT_STARTED', message: 'the workspace starts runs too quickly' },
    });
    expect(await instance.db.execution.count({ where: { parentExecutionId: limited } })).toBe(0);

    await instance.db.workspace.update({ where: { id: workspaceId }, data: { executionsPerMinute: null } });
    await instance.db.$executeRaw`UPDATE waits SET due_at = now() WHERE execution_id = ${limited}::uuid`;
    await instance.db.$executeRaw`UPDATE executions SET wake_at = now() WHERE id = ${limited}::uuid`;
    await until(async () => (await read(limited)).status === 'success', 'the end');
    expect((await read(limited)).progress.child).toMatchObject({ status: 'success', attempts: 2 });
    expect(await instance.db.execution.count({ where: { parentExecutionId: limited } })).toBe(1);
  });
});
