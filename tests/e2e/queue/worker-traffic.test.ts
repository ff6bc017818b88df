import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createTrafficControl } from '@deckhand/queue';
import { callWithKey, chain, createWorkflow, type Instance, startInstance } from '../../harness/index.ts';
import { startTestWorker, stopAll, until } from '../../harness/index.ts';
import { serve } from '../../harness/serve.ts';

let instance: Instance;
let worker: Awaited<ReturnType<typeof startTestWorker>>;
/** Responds with `status`, to `/hold` by `release`. */
let receiver: string;
let status = 200;
let release = (): void => undefined;
const calls: number[] = [];

beforeAll(async () => {
  instance = await startInstance();
  worker = await startTestWorker(instance);
  ({ url: receiver } = await serve((request, response) => {
    calls.push(Date.now());
    const respond = (): void => void response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
    if (request.url === '/hold') release = respond;
    else respond();
  }));
});
afterAll(stopAll);

const call = callWithKey(() => instance);
const read = async (id: string) => (await call('GET', `/api/executions/${id}`)).body;

async function keep(limits: object): Promise<string> {
  const { workspaceId } = instance;
  const secret = { token: 'secret' };
  const kept = await call('POST', '/api/credentials', { workspaceId, name: 'c', type: 'bearer', secret, ...limits });
  if (kept.status !== 201) throw new Error(kept.text);
  return kept.body.id;
}

async function createCaller(limits: object, node: object = {}) {
  const request = { id: 'call', type: 'http', credentialId: await keep(limits), parameters: { url: receiver } };
  return createWorkflow(instance, chain({ ...request, ...node }));
}
const start = async (workflowId: string) =>
  (await call('POST', `/api/workflows/${workflowId}/execute`)).body.executionId;
const ended = (id: string) =>
  until(async () => {
    const run = await read(id);
    return ['success', 'failed'].includes(run.status) && run;
  }, 'the end of the run');

it('requests of many runs follow each other at the rate of the credential, and say how long they waited', async () => {
  const workflowId = await createCaller({ rateLimit: { requests: 4, per: 'second' } });
  calls.length = 0;
  const ids = await Promise.all(Array.from({ length: 7 }, () => start(workflowId)));
  const runs = await Promise.all(ids.map((id) => ended(id)));
  const waits = runs.map(({ progress }) => {
    const output = progress.call?.output;
    return typeof output === 'object' && output !== null && 'waitedMs' in output ? Number(output.waitedMs) : NaN;
  });
  expect(Math.min(...waits)).toBeLessThan(50);
  expect(Math.max(...waits)).toBeGreaterThan(0);
  // Six intervals of 250 ms; less, because a request that was admitted may reach the server late.
  expect(Math.max(...calls) - Math.min(...calls)).toBeGreaterThanOrEqual(1_000);
});

it('a run that has to wait for long rests, keeps its place when its worker dies, and no attempt is counted', async () => {
  const retry = { maxAttempts: 1, delayMs: 1 };
  const workflowId = await createCaller({ rateLimit: { requests: 8, per: 'minute' } }, { retry });
  calls.length = 0;
  await ended(await start(workflowId));
  const id = await start(workflowId);
  const resting = await until(async () => {
    const run = await instance.db.execution.findUniqueOrThrow({ where: { id } });
    return run.wakeAt !== null && run.workerId === null && run;
  });
  expect((await read(id)).progress.call).toMatchObject({ status: 'waiting', error: { code: 'RATE_LIMITED' } });
  await worker.stop();
  worker = await startTestWorker(instance);
  const { progress, status: end } = await ended(id);
  expect(end).toBe('success');
  expect(progress.call).toMatchObject({ attempts: 2, output: { waitedMs: expect.any(Number) } });
  expect(calls).toHaveLength(2);
  // Not before its place: an interval after the first.
  expect((calls[1] ?? 0) - (calls[0] ?? 0)).toBeGreaterThanOrEqual(7_000);
  expect(resting.status).toBe('running');
});

it('a request that would wait for too long fails with RATE_LIMITED, and is not sent', async () => {
  const workflowId = await createCaller({ rateLimit: { requests: 1, per: 'minute', maxWaitSeconds: 0 } });
  calls.length = 0;
  await ended(await start(workflowId));
  expect((await ended(await start(workflowId))).error).toMatchObject({ code: 'RATE_LIMITED', nodeId: 'call' });
  expect(calls).toHaveLength(1);
});

it('an open circuit sends nothing, and retries wait until it lets a probe through', async () => {
  const circuit = { failuresInRow: 2, openSeconds: 1 };
  const retry = { maxAttempts: 5, delayMs: 100 };
  const [once, patient] = [await createCaller({ circuit }), await createCaller({ circuit }, { retry })];
  status = 503;
  calls.length = 0;
  for (const code of ['HTTP_STATUS', 'HTTP_STATUS', 'CIRCUIT_OPEN'])
    expect((await ended(await start(once))).error).toMatchObject({ code });
  expect(calls).toHaveLength(2);
  calls.length = 0;
  const id = await start(patient);
  await until(() => calls.length === 2);
  await until(async () => (await read(id)).progress.call?.attempts === 3);
  status = 200;
  const run = await ended(id);
  expect(run.status).toBe('success');
  // The third attempt was not sent, and the next one not before a second had passed.
  expect(calls).toHaveLength(3);
  expect((calls[2] ?? 0) - (calls[1] ?? 0)).toBeGreaterThanOrEqual(990);
});

it('a wait for the rate ends with the reason of its signal', async () => {
  const { redis, logger } = instance.gateway.services.monitoring;
  const control = createTrafficControl({ redis, logger });
  const limits = { credentialId: 'waits', rateLimit: { requests: 1, per: 'minute' }, circuit: null } as const;
  const ended = new AbortController();
  const admit = (ticket: string) => control.admit({ limits, host: 'a', ticket, mayRest: false, signal: ended.signal });
  await admit('first');
  const waiting = admit('second');
  // The place of the third is behind that of the second, which waits by then.
  const third = admit('third');
  await expect(third).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  ended.abort(new Error('late'));
  await expect(waiting).rejects.toThrow('late');
});

it('requests are not limited while Redis is unavailable', async () => {
  const rateLimit = { requests: 1, per: 'minute', maxWaitSeconds: 0 };
  const credentialId = await keep({ rateLimit });
  const url = receiver;
  const definition = chain(
    { id: 'hold', type: 'http', parameters: { url: `${url}/hold` } },
    { id: 'first', type: 'http', credentialId, parameters: { url } },
    { id: 'second', type: 'http', credentialId, parameters: { url } },
  );
  calls.length = 0;
  const limited = await start(await createWorkflow(instance, definition));
  await until(() => calls.length === 1);
  release();
  expect((await ended(limited)).error).toMatchObject({ code: 'RATE_LIMITED', nodeId: 'second' });
  calls.length = 0;
  const id = await start(await createWorkflow(instance, definition));
  await until(() => calls.length === 1);
  await instance.redis.kill();
  release();
  await until(() => calls.length === 3, 'requests without Redis');
  await until(async () => (await instance.db.execution.findUniqueOrThrow({ where: { id } })).status === 'success');
  await instance.redis.restart();
});
