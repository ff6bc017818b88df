import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import {
  chain,
  createWorkflow,
  expectWithin,
  type Instance,
  itInTime,
  NEVER_MS,
  promised,
  spawnApp,
  startInstance,
  startReceiver,
  startTcpProxy,
  stopAll,
  type TcpProxy,
  type TestApp,
  until,
} from '../../harness/index.ts';

/** The API's response about the fleet. */
interface Fleet {
  readonly workers: { readonly live: number; readonly consuming: number };
  readonly data: readonly { readonly pid: number; readonly state: string; readonly lastSeenAt: string }[];
}

/** docs/failure-modes.md: the fleet shows each state of a worker within 3 s. */
const SHOWN_MS = 3_000;

let instance: Instance;
let api: TestApp;

beforeAll(async () => {
  instance = await startInstance();
  api = await spawnApp('api', { DATABASE_URL: instance.databaseUrl, REDIS_URL: instance.redis.url });
});
afterAll(stopAll);

async function call<T>(method: string, path: string): Promise<T> {
  const answer = await fetch(api.url + path, { method, headers: { 'x-api-key': instance.key } });
  expect([200, 202]).toContain(answer.status);
  return (await answer.json()) as T;
}

const readFleet = () => call<Fleet>('GET', '/api/monitoring/fleet');
const execute = (workflowId: string) =>
  call<{ executionId: string; workers: Fleet['workers']; warning?: string }>(
    'POST',
    `/api/workflows/${workflowId}/execute`,
  );
const statusOf = async (id: string) =>
  (await instance.db.execution.findUniqueOrThrow({ where: { id }, select: { status: true } })).status;

/** How long the fleet took to show a state. */
interface Seen {
  readonly what: string;
  readonly ms: number;
}

/** Waits until the API reports this state of a worker and these counts; `gone` is a worker that is not in its list. */
async function untilSeen(what: string, worker: TestApp, state: string, workers: Fleet['workers']): Promise<Seen> {
  const since = performance.now();
  await until(async () => {
    const fleet = await readFleet();
    const now = fleet.data.find(({ pid }) => pid === worker.pid)?.state ?? 'gone';
    return now === state && fleet.workers.live === workers.live && fleet.workers.consuming === workers.consuming;
  }, `${what}: ${state}`);
  return { what: `${what}: ${state}`, ms: performance.now() - since };
}

function expectSoon(...seen: readonly Seen[]): void {
  for (const { what, ms } of seen) expectWithin({ what, ms: SHOWN_MS }, ms);
}

const env = (proxies: { postgres?: TcpProxy; redis?: TcpProxy } = {}) => ({
  DATABASE_URL: proxies.postgres?.url ?? instance.databaseUrl,
  REDIS_URL: proxies.redis?.url ?? instance.redis.url,
});
const quick = () => createWorkflow(instance, chain({ id: 'a', type: 'set', parameters: { fields: { ok: true } } }));

describe('the fleet', () => {
  itInTime('loses a worker that is frozen or killed, and gets the thawed one back', async () => {
    const worker = await spawnApp('worker', env());
    await untilSeen('started', worker, 'consuming', { live: 1, consuming: 1 });
    process.kill(worker.pid, 'SIGSTOP');
    const frozen = await untilSeen('frozen', worker, 'gone', { live: 0, consuming: 0 });
    process.kill(worker.pid, 'SIGCONT');
    const thawed = await untilSeen('thawed', worker, 'consuming', { live: 1, consuming: 1 });
    await worker.kill('SIGKILL');
    const killed = await untilSeen('killed', worker, 'gone', { live: 0, consuming: 0 });
    expectSoon(frozen, thawed, killed);
  });

  itInTime('shows a worker that drains as one that takes nothing, until it has left', async () => {
    const receiver = await startReceiver(() => 5_000);
    const slow = await createWorkflow(
      instance,
      chain({ id: 'slow', type: 'http', parameters: { url: receiver.url, method: 'POST' } }),
    );
    const worker = await spawnApp('worker', env());
    await execute(slow);
    await until(() => receiver.calls.length === 1, 'the call');
    const ended = worker.kill('SIGTERM');
    const draining = await untilSeen('draining', worker, 'draining', { live: 1, consuming: 0 });
    const answer = await execute(await quick());
    expect(answer).toMatchObject({ workers: { live: 1, consuming: 0 }, warning: expect.any(String) });
    await ended;
    const left = await untilSeen('left', worker, 'gone', { live: 0, consuming: 0 });
    expect(await worker.ended).toBe('code 0');
    // It left jobs after the signal to other workers.
    expect(await statusOf(answer.executionId)).toBe('pending');
    const next = await spawnApp('worker', env());
    await until(async () => (await statusOf(answer.executionId)) === 'success', 'the end of the run');
    await next.stop();
    expectSoon(draining, left);
  });

  itInTime('shows a worker whose queue is silent as stalled although its heart beats, and it recovers', async () => {
    const redis = await startTcpProxy(instance.redis.url);
    const worker = await spawnApp('worker', env({ redis }));
    await untilSeen('started', worker, 'consuming', { live: 1, consuming: 1 });
    // Only the connection that fetches jobs: heartbeats have connections of their own.
    redis.silence((sent) => sent.includes('executions:marker'));
    const silent = await untilSeen('its queue silent', worker, 'stalled', { live: 1, consuming: 0 });
    const answer = await execute(await quick());
    expect(answer).toMatchObject({ workers: { live: 1, consuming: 0 }, warning: expect.any(String) });
    await redis.restore();
    await untilSeen('its queue back', worker, 'consuming', { live: 1, consuming: 1 });
    await until(async () => (await statusOf(answer.executionId)) === 'success', 'the end of the run');
    await worker.stop();
    expectWithin(promised("a worker's queue does not respond"), silent.ms);
  });

  itInTime('shows a worker that cannot claim as stalled, and it leaves jobs to others', async () => {
    const postgres = await startTcpProxy(instance.databaseUrl);
    const worker = await spawnApp('worker', env({ postgres }));
    await untilSeen('started', worker, 'consuming', { live: 1, consuming: 1 });
    await postgres.cut();
    const workflowId = await quick();
    const taken = await execute(workflowId);
    const away = await untilSeen('its database away', worker, 'stalled', { live: 1, consuming: 0 });
    const left = await execute(workflowId);
    const other = await spawnApp('worker', env());
    for (const { executionId } of [taken, left])
      await until(async () => (await statusOf(executionId)) === 'success', 'the end of the run');
    await postgres.restore();
    await untilSeen('its database back', worker, 'consuming', { live: 2, consuming: 2 });
    await Promise.all([worker.stop(), other.stop()]);
    expectWithin(promised("a worker's queue does not respond"), away.ms);
  });

  itInTime('counts a worker that is full as consuming for as long as its queue answers', async () => {
    const receiver = await startReceiver(() => NEVER_MS);
    const slow = await createWorkflow(
      instance,
      chain({ id: 'slow', type: 'http', parameters: { url: receiver.url, method: 'POST' } }),
    );
    const redis = await startTcpProxy(instance.redis.url);
    const worker = await spawnApp('worker', { ...env({ redis }), WORKER_CONCURRENCY: '1' });
    await execute(slow);
    await until(() => receiver.calls.length === 1, 'the call');
    const calledAt = receiver.calls[0]?.at ?? 0;
    // Longer than an idle worker may be without a response.
    await until(async () => {
      const [entry] = (await readFleet()).data;
      expect(entry).toMatchObject({ pid: worker.pid, state: 'consuming' });
      return Date.parse(entry?.lastSeenAt ?? '') > calledAt + 4_000;
    }, 'four more seconds of heartbeats');
    redis.silence((sent) => sent.includes('executions:marker') || sent.toLowerCase().includes('ping'));
    const silent = await untilSeen('full, its queue silent', worker, 'stalled', { live: 1, consuming: 0 });
    await redis.restore();
    await untilSeen('full, its queue back', worker, 'consuming', { live: 1, consuming: 1 });
    await worker.kill();
    await untilSeen('killed', worker, 'gone', { live: 0, consuming: 0 });
    expectSoon(silent);
  });
});
