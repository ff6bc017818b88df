import { pauseExecution } from '@deckhand/db';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import {
  callWithKey,
  chain,
  createWorkflow,
  type Instance,
  startInstance,
  startTestWorker,
  stopAll,
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
