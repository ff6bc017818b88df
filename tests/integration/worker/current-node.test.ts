import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { callWithKey, createWorkflow, type Instance } from '../../harness/index.ts';
import { startInstance, startTestWorker, stopAll, until } from '../../harness/index.ts';
import { edges } from '../../harness/engine.ts';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance();
  await startTestWorker(instance);
});
afterAll(stopAll);

const call = callWithKey(() => instance);
const read = async (id: string) => (await call('GET', `/api/executions/${id}`)).body;
const start = { id: 'start', type: 'trigger.manual' };
const approval = (id: string) => ({ id, type: 'approval', parameters: { message: 'Well?' } });
const wait = (id: string, seconds: number) => ({ id, type: 'wait', parameters: { seconds } });
const approve = (executionId: string, nodeId: string, rest: object = {}) =>
  call('POST', '/api/approvals/submit', { executionId, nodeId, approved: true, ...rest });

async function execute(definition: object): Promise<string> {
  const workflowId = await createWorkflow(instance, definition);
  return (await call('POST', `/api/workflows/${workflowId}/execute`)).body.executionId;
}

/** Waits until a run rests and as many of its nodes are finished. */
async function rested(id: string, finished: number, status = 'waiting_for_input') {
  return until(async () => {
    const run = await read(id);
    const done = Object.values(run.progress).filter((node) => node.status === 'success');
    return run.status === status && done.length === finished && run;
  });
}

async function pauseAndResume(id: string): Promise<void> {
  expect((await call('POST', `/api/executions/${id}/pause`)).status).toBe(200);
  expect((await call('POST', `/api/executions/${id}/resume`)).status).toBe(200);
}

it('names the approval after a pause is over, and so does the error of a time limit', async () => {
  const id = await execute({
    nodes: [start, approval('ask')],
    edges: edges('start -> ask'),
    settings: { timeoutSeconds: 3_600 },
  });
  await rested(id, 1);
  await pauseAndResume(id);
  expect(await rested(id, 1)).toMatchObject({ currentNodeId: 'ask' });
  // A limit of seconds may be over before a busy machine gets here.
  await instance.db.execution.update({ where: { id }, data: { deadlineAt: new Date() } });
  const run = await until(async () => {
    const now = await read(id);
    return now.status === 'timeout' && now;
  });
  expect(run).toMatchObject({ currentNodeId: null, error: { code: 'EXECUTION_TIMEOUT', nodeId: 'ask' } });
});

it('names the second of two approvals once the first is answered', async () => {
  const id = await execute({
    nodes: [start, approval('a'), approval('b'), { id: 'after', type: 'set', parameters: { fields: {} } }],
    edges: edges('start -> a', 'start -> b', 'a.approved -> after'),
  });
  expect((await rested(id, 1)).currentNodeId).toBe('a');
  await approve(id, 'a');
  expect((await rested(id, 3)).currentNodeId).toBe('b');
});

it('names the approval that the status is about, beside other waits that are open or over', async () => {
  const id = await execute({
    nodes: [start, wait('long', 3_600), wait('short', 1), approval('ask')],
    edges: edges('start -> long', 'start -> short', 'start -> ask'),
  });
  expect((await rested(id, 1)).currentNodeId).toBe('ask');
  expect((await rested(id, 2)).currentNodeId).toBe('ask');
});

it('names the approval of a loop with another iteration that waits, and after each answer', async () => {
  const id = await execute({
    nodes: [start, { id: 'each', type: 'loop', parameters: { items: [1, 2, 3], concurrency: 2 } }, approval('ask')],
    edges: edges('start -> each', 'each.body -> ask'),
  });
  for (const iteration of [0, 1, 2]) {
    const run = await until(async () => {
      const now = await read(id);
      const answered = now.progress.ask?.iterationCounts?.success ?? 0;
      return now.status === 'waiting_for_input' && answered === iteration && now;
    });
    expect(run.currentNodeId).toBe('ask');
    await approve(id, 'ask', { iteration });
  }
  await until(async () => (await read(id)).status === 'success');
});

it('names a wait for a time in a loop, instead of the loop', async () => {
  const id = await execute({
    nodes: [start, { id: 'each', type: 'loop', parameters: { items: [1] } }, wait('pause', 3_600)],
    edges: edges('start -> each', 'each.body -> pause'),
  });
  const run = await until(async () => {
    const now = await read(id);
    return now.progress.pause?.status === 'waiting' && now;
  });
  expect(run).toMatchObject({ status: 'running', currentNodeId: 'pause' });
});

it('the error of a run that a worker ends at its time limit names the node that ran', async () => {
  const id = await execute({
    nodes: [start, { id: 'spin', type: 'code', parameters: { source: 'for (;;) {}' } }],
    edges: edges('start -> spin'),
    settings: { timeoutSeconds: 5 },
  });
  const run = await until(async () => {
    const now = await read(id);
    return now.status === 'timeout' && now;
  });
  expect(run.error).toMatchObject({ code: 'EXECUTION_TIMEOUT', nodeId: 'spin' });
});
