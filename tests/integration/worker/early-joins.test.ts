import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { callWithKey, createWorkflow, type Instance } from '../../harness/index.ts';
import { startInstance, startTestWorker, stopAll, until } from '../../harness/index.ts';
import { edges } from '../../harness/engine.ts';
import { serve } from '../../harness/serve.ts';

let instance: Instance;
let worker: Awaited<ReturnType<typeof startTestWorker>>;
/** Never responds. */
let receiver: string;
let aborted = 0;

beforeAll(async () => {
  instance = await startInstance();
  worker = await startTestWorker(instance);
  ({ url: receiver } = await serve((_request, response) => {
    response.on('close', () => (aborted += 1));
  }));
});
afterAll(stopAll);

const call = callWithKey(() => instance);
const read = async (id: string) => (await call('GET', `/api/executions/${id}`)).body;
const start = { id: 'start', type: 'trigger.manual' };
const approval = (id: string) => ({ id, type: 'approval', parameters: { message: 'Well?' } });
const approve = (executionId: string, nodeId: string) =>
  call('POST', '/api/approvals/submit', { executionId, nodeId, approved: true });

async function execute(definition: object): Promise<string> {
  const workflowId = await createWorkflow(instance, definition);
  return (await call('POST', `/api/workflows/${workflowId}/execute`)).body.executionId;
}

it('a branch that wins cancels the others: calls, waits and other runs', async () => {
  const other = await createWorkflow(instance, {
    nodes: [start, approval('never')],
    edges: edges('start -> never'),
  });
  const id = await execute({
    nodes: [
      start,
      approval('quick'),
      { id: 'calls', type: 'http', parameters: { url: receiver } },
      approval('asks'),
      { id: 'waits', type: 'wait', parameters: { seconds: 3_600 } },
      { id: 'runs', type: 'workflow', parameters: { workflowId: other } },
      { id: 'later', type: 'set', parameters: { fields: {} } },
      { id: 'join', type: 'merge', parameters: { mode: 'any' } },
      approval('confirm'),
      { id: 'end', type: 'terminal', parameters: { body: '{{ $nodes.join.output.decision }}' } },
    ],
    edges: edges(
      ...['quick', 'calls', 'asks', 'waits', 'runs'].map((node) => `start -> ${node}`),
      ...['calls -> join', 'waits -> join', 'runs -> join', 'quick.approved -> join'],
      ...['asks.approved -> later', 'later -> join', 'join -> confirm', 'confirm.approved -> end'],
    ),
  });
  const childId = await until(async () => {
    const { progress } = await read(id);
    const [child] = await instance.db.execution.findMany({ where: { parentExecutionId: id } });
    const areBegun = ['quick', 'asks', 'waits', 'runs'].every((node) => progress[node]?.status === 'waiting');
    return areBegun && progress.calls?.status === 'running' && child?.id;
  });
  expect((await approve(id, 'quick')).status).toBe(200);
  await until(async () => (await read(id)).status === 'waiting_for_input');
  const stopped = { status: 'stopped', finishedAt: expect.any(String) };
  expect((await read(id)).progress).toMatchObject({
    join: { status: 'success', output: { decision: 'approved' } },
    ...{ calls: stopped, asks: stopped, waits: stopped, runs: stopped },
    later: { status: 'skipped' },
  });
  expect(aborted).toBe(1);
  const { data } = (await call('GET', `/api/approvals?workspaceId=${instance.workspaceId}`)).body;
  expect(data.filter((entry) => entry.id === id).map((entry) => entry.currentNodeId)).toEqual(['confirm']);
  expect(await approve(id, 'asks')).toMatchObject({ status: 400, body: { code: 'NOT_WAITING' } });
  await until(async () => (await read(childId)).status === 'stopped');
  await until(async () => (await instance.db.wait.count({ where: { executionId: id, answeredAt: null } })) === 1);

  // Another worker goes on with what is on disk.
  await worker.stop();
  worker = await startTestWorker(instance);
  await approve(id, 'confirm');
  await until(async () => (await read(id)).status === 'success');
  const { progress, result } = await read(id);
  expect(result).toMatchObject({ body: 'approved' });
  expect(progress).toMatchObject({ calls: stopped, asks: stopped, waits: stopped, runs: stopped });
  expect(progress.calls?.attempts).toBe(1);
  expect(aborted).toBe(1);
});

it('a join of two of three in each iteration of a loop decides in each by itself', async () => {
  const id = await execute({
    nodes: [
      start,
      { id: 'each', type: 'loop', parameters: { items: [0, 1, 2], concurrency: 3 } },
      { id: 'a', type: 'set', parameters: { fields: { from: 'a{{ $loop.item }}' } } },
      { id: 'b', type: 'wait', parameters: { seconds: 0.05 } },
      { id: 'c', type: 'wait', parameters: { seconds: 3_600 } },
      { id: 'join', type: 'merge', parameters: { mode: 'count', count: 2 } },
    ],
    edges: edges(
      ...['each.body -> a', 'each.body -> b', 'each.body -> c', 'start -> each'],
      ...['a -> join', 'b -> join', 'c -> join'],
    ),
  });
  await until(async () => (await read(id)).status === 'success');
  const { progress } = await read(id);
  expect(progress.each?.output).toEqual([0, 1, 2].map((item) => [{ from: `a${item}` }, item]));
  expect(progress.c).toMatchObject({ iterations: 3, iterationCounts: { stopped: 3 } });
  expect(await instance.db.wait.count({ where: { executionId: id, answeredAt: null } })).toBe(0);
});
