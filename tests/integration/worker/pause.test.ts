import { pauseExecution, startChild } from '@deckhand/db';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import {
  callWithKey,
  chain,
  createWorkflow,
  type Instance,
  startInstance,
  startTestWorker,
  stopAll,
  UNCOUNTED,
  until,
} from '../../harness/index.ts';
import { serve } from '../../harness/serve.ts';

let instance: Instance;
let receiver: string;
const asked: string[] = [];
let answerFirst = (): void => undefined;

beforeAll(async () => {
  instance = await startInstance();
  await startTestWorker(instance);
  ({ url: receiver } = await serve((request, response) => {
    const path = request.url ?? '';
    asked.push(path);
    const answer = () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    if (path === '/first') answerFirst = answer;
    else answer();
  }));
});
afterAll(stopAll);

const call = callWithKey(() => instance);

it('a pause that no message told the worker of lets no further node begin, and a resume begins it once', async () => {
  const http = (id: string) => ({
    id,
    type: 'http',
    parameters: { url: `${receiver}/${id}` },
    onInterrupt: 'fail' as const,
  });
  const workflowId = await createWorkflow(instance, chain(http('first'), http('second')));
  const { body } = await call('POST', `/api/workflows/${workflowId}/execute`, {});
  const id = body.executionId;
  await until(() => asked.includes('/first'), 'the first call');
  const { userId } = await instance.db.membership.findFirstOrThrow();
  // Written as the gateway does, without its notification.
  await pauseExecution(instance.db, { userId, boundTo: null }, id);
  answerFirst();
  await until(
    async () => (await instance.db.execution.findUniqueOrThrow({ where: { id } })).workerId === null,
    'the worker to let go',
  );
  expect((await call('GET', `/api/executions/${id}`)).body).toMatchObject({
    status: 'paused',
    progress: { first: { status: 'success' }, second: { status: 'pending', startedAt: null, attempts: 0 } },
  });
  expect(asked).toEqual(['/first']);

  const resumedAt = Date.now();
  await call('POST', `/api/executions/${id}/resume`);
  await until(async () => (await call('GET', `/api/executions/${id}`)).body.status === 'success', 'the end');
  expect(asked).toEqual(['/first', '/second']);
  const { second } = (await call('GET', `/api/executions/${id}`)).body.progress;
  expect(Date.parse(second!.startedAt!)).toBeGreaterThanOrEqual(resumedAt);
});

/** Creates a workflow that starts a run of another one and waits for it. */
const parentOf = (workflowId: string) =>
  createWorkflow(instance, chain({ id: 'child', type: 'workflow', parameters: { workflowId } }));
const statusOf = async (id: string) => (await call('GET', `/api/executions/${id}`)).body.status;
const childOf = (id: string) =>
  until(async () => (await instance.db.execution.findFirst({ where: { parentExecutionId: id } }))?.id, 'the child');

it('reaches the runs that a run has started, and so does its resume, but for those that a person has paused', async () => {
  const ask = await createWorkflow(instance, chain({ id: 'ask', type: 'approval', parameters: { message: 'Well?' } }));
  const both = {
    nodes: [
      { id: 'start', type: 'trigger.manual' },
      { id: 'one', type: 'workflow', parameters: { workflowId: await parentOf(ask) } },
      { id: 'two', type: 'workflow', parameters: { workflowId: ask } },
    ],
    edges: [
      { source: 'start', target: 'one' },
      { source: 'start', target: 'two' },
    ],
  };
  const { body } = await call('POST', `/api/workflows/${await createWorkflow(instance, both)}/execute`, {});
  const root = body.executionId;
  const childAt = async (parentNodeId: string) =>
    (await instance.db.execution.findFirst({ where: { parentExecutionId: root, parentNodeId } }))?.id;
  const one = await until(() => childAt('one'), 'the first child');
  const two = await until(() => childAt('two'), 'the second child');
  const grandchild = await childOf(one);
  for (const id of [grandchild, two]) await until(async () => (await statusOf(id)) === 'waiting_for_input');

  await call('POST', `/api/executions/${two}/pause`);
  await call('POST', `/api/executions/${root}/pause`);
  for (const id of [root, one, two, grandchild]) expect(await statusOf(id)).toBe('paused');
  await call('POST', `/api/executions/${root}/resume`);
  await until(async () => (await statusOf(grandchild)) === 'waiting_for_input', 'the grandchild to go on');
  expect([await statusOf(root), await statusOf(one), await statusOf(two)]).toEqual(['running', 'running', 'paused']);
  await call('POST', `/api/executions/${root}/stop`);
});

it('reaches a run that a node in progress starts after it', async () => {
  const child = await createWorkflow(instance, { nodes: [{ id: 'start', type: 'trigger.manual' }], edges: [] });
  const { body } = await call('POST', `/api/workflows/${child}/execute`, { delay: 60 });
  const parentExecutionId = body.executionId;
  await call('POST', `/api/executions/${parentExecutionId}/pause`);
  const start = (executionId: string) =>
    startChild(
      instance.db,
      {
        ...{ executionId, workflowId: child, parentExecutionId, parentNodeId: 'child', triggerData: '{}' },
      },
      UNCOUNTED,
    );
  const id = uuidv7();
  expect(await start(id)).toMatchObject({ kind: 'started' });
  expect(await statusOf(id)).toBe('paused');
  await call('POST', `/api/executions/${parentExecutionId}/resume`);
  await until(async () => (await statusOf(id)) === 'success', 'the end of the child');
  await call('POST', `/api/executions/${parentExecutionId}/stop`);
});
