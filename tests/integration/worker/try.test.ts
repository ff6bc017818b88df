import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { callWithKey, createWorkflow, type Instance } from '../../harness/index.ts';
import { startInstance, startTestWorker, stopAll, until } from '../../harness/index.ts';
import { edges } from '../../harness/engine.ts';
import { serve } from '../../harness/serve.ts';

let instance: Instance;
let worker: Awaited<ReturnType<typeof startTestWorker>>;
/** Responds with 400 to `/bad`, with 422 to `/refused`, never to `/slow`, and with 200 to others. */
let receiver: string;
const JSON_TYPE = { 'content-type': 'application/json' };
const calls: string[] = [];
let aborted = 0;
let isFixed = false;

beforeAll(async () => {
  instance = await startInstance();
  worker = await startTestWorker(instance);
  ({ url: receiver } = await serve((request, response) => {
    const path = request.url ?? '';
    calls.push(path);
    response.on('close', () => (aborted += response.writableEnded ? 0 : 1));
    if (path === '/refused') response.writeHead(422, JSON_TYPE).end('{"reason":"sold out"}');
    else if (path !== '/slow') response.writeHead(path === '/bad' && !isFixed ? 400 : 200).end();
  }));
});
afterAll(stopAll);

const call = callWithKey(() => instance);
const read = async (id: string) => (await call('GET', `/api/executions/${id}`)).body;
const start = { id: 'start', type: 'trigger.manual' };
const attempt = { id: 'try', type: 'try' };
const approval = (id: string) => ({ id, type: 'approval', parameters: { message: 'Well?' } });
const request = (id: string, path = `/${id}`) => ({ id, type: 'http', parameters: { url: receiver + path } });
const approve = (executionId: string, nodeId: string) =>
  call('POST', '/api/approvals/submit', { executionId, nodeId, approved: true });
const ended = (id: string) => until(async () => ['success', 'failed'].includes((await read(id)).status), 'an end');

async function execute(definition: object): Promise<string> {
  const workflowId = await createWorkflow(instance, definition);
  return (await call('POST', `/api/workflows/${workflowId}/execute`)).body.executionId;
}

it('a failure is caught once, and cancels calls, waits and other runs beside it, over workers and reruns', async () => {
  const other = await createWorkflow(instance, { nodes: [start, approval('never')], edges: edges('start -> never') });
  const id = await execute({
    nodes: [
      ...[start, attempt, request('paid'), approval('go'), request('bad'), request('slow'), approval('asks')],
      { id: 'waits', type: 'wait', parameters: { seconds: 3_600 } },
      { id: 'runs', type: 'workflow', parameters: { workflowId: other } },
      ...[request('undo'), approval('confirm'), request('end')],
    ],
    edges: edges(
      ...['start -> try', 'try.body -> paid', 'paid -> go', 'go.approved -> bad'],
      ...['paid -> slow', 'paid -> asks', 'paid -> waits', 'paid -> runs'],
      ...['try.error -> undo', 'undo -> confirm', 'confirm.approved -> end', 'try.success -> end'],
    ),
  });
  const childId = await until(async () => {
    const { progress } = await read(id);
    const [child] = await instance.db.execution.findMany({ where: { parentExecutionId: id } });
    const areBegun = ['go', 'asks', 'waits', 'runs'].every((node) => progress[node]?.status === 'waiting');
    return areBegun && progress.slow?.status === 'running' && child?.id;
  });
  expect((await approve(id, 'go')).status).toBe(200);
  await until(async () => (await read(id)).progress.confirm?.status === 'waiting');
  const stopped = { status: 'stopped', finishedAt: expect.any(String) };
  const after = (await read(id)).progress;
  expect(after).toMatchObject({
    bad: { status: 'failed', error: { code: 'HTTP_STATUS' } },
    try: { status: 'success', output: { error: { nodeId: 'bad', code: 'HTTP_STATUS', status: 400, body: '' } } },
    ...{ slow: stopped, asks: stopped, waits: stopped, runs: stopped },
  });
  expect(aborted).toBe(1);
  expect(await approve(id, 'asks')).toMatchObject({ status: 400, body: { code: 'NOT_WAITING' } });
  await until(async () => (await read(childId)).status === 'stopped');

  // Another worker goes on with what is on disk.
  await worker.stop();
  worker = await startTestWorker(instance);
  await approve(id, 'confirm');
  await ended(id);
  const { status, error } = await read(id);
  expect([status, error]).toEqual(['success', null]);
  expect(calls.filter((path) => path !== '/slow')).toEqual(['/paid', '/bad', '/undo', '/end']);

  // From the failed node, what was done before it is not done again, and what was cancelled continues.
  isFixed = true;
  calls.length = 0;
  const again = (await call('POST', `/api/executions/${id}/rerun`, { fromNodeId: 'bad' })).body.executionId;
  await until(async () => (await read(again)).progress.bad?.status === 'success');
  await until(async () => (await read(again)).progress.asks?.status === 'waiting');
  expect(calls.filter((path) => path !== '/slow')).toEqual(['/bad']);
  await call('POST', `/api/executions/${again}/stop`);
  isFixed = false;
});

it('neither a stop nor the time-out of the run is caught, but a time-out of a node is', async () => {
  const body = (more: object) => ({
    nodes: [start, attempt, { ...request('slow'), ...more }, request('undo')],
    edges: edges('start -> try', 'try.body -> slow', 'try.error -> undo'),
  });
  calls.length = 0;
  const stoppedId = await execute(body({}));
  await until(() => calls.length === 1);
  await call('POST', `/api/executions/${stoppedId}/stop`);
  const lateId = await execute({ ...body({}), settings: { timeoutSeconds: 0.5 } });
  await until(async () => (await read(lateId)).status === 'timeout', 'the time-out');
  expect(calls).toEqual(['/slow', '/slow']);
  for (const id of [stoppedId, lateId]) expect((await read(id)).progress).toMatchObject({ try: { status: 'stopped' } });
  const caughtId = await execute(body({ timeoutSeconds: 0.2 }));
  await ended(caughtId);
  expect((await read(caughtId)).progress.try?.output).toMatchObject({
    error: { nodeId: 'slow', code: 'NODE_TIMEOUT' },
  });
});

it('an error branch and a try hand on the response that was the failure, also after the death of a worker', async () => {
  const seen = (nodeId: string) =>
    `{{ [$nodes.${nodeId}.output.error.status, $nodes.${nodeId}.output.error.body.reason] }}`;
  const id = await execute({
    nodes: [
      ...[start, { ...request('refused'), onError: 'branch' }, attempt, request('declined', '/refused')],
      ...[
        approval('confirm'),
        { id: 'end', type: 'set', parameters: { fields: { a: seen('refused'), b: seen('try') } } },
      ],
    ],
    edges: edges(
      ...['start -> refused', 'refused.error -> try', 'try.body -> declined'],
      ...['try.error -> confirm', 'confirm.approved -> end'],
    ),
  });
  await until(async () => (await read(id)).progress.confirm?.status === 'waiting');
  await worker.stop();
  // As if it had died between the two records of the failure that was caught.
  const { count } = await instance.db.nodeRun.updateMany({
    where: { executionId: id, nodeId: 'try' },
    data: { status: 'running', handle: null, output: null, state: '{"try":true}' },
  });
  expect(count).toBe(1);
  calls.length = 0;
  worker = await startTestWorker(instance);
  await approve(id, 'confirm');
  await ended(id);
  const { status, progress } = await read(id);
  const response = [422, 'sold out'];
  expect([status, progress.end?.output]).toEqual(['success', { a: response, b: response }]);
  expect(progress.try?.output).toMatchObject({
    error: { nodeId: 'declined', status: 422, body: { reason: 'sold out' } },
  });
  expect(calls).toEqual([]);
});
