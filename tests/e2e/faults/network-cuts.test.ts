import { freePort } from '@deckhand/local';
import { afterAll, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  chain,
  createWorkflow,
  type Instance,
  logMoves,
  quantile,
  scrape,
  spawnApp,
  startInstance,
  startLoad,
  startReceiver,
  startTcpProxy,
  stopAll,
  tally,
  type TestApp,
  total,
  until,
} from '../../harness/index.ts';

/** Duration of each cut: longer than heartbeats and the maintenance lease live. */
const CUT_MS = Number(process.env.CUT_SECONDS ?? 8) * 1_000;
const RUNS_PER_SECOND = Number(process.env.CUT_RUNS_PER_SECOND ?? 15);
const EFFECTS = 2;

afterAll(stopAll);

/** Two calls with a pure node between, some hundred ms in all. */
function definition(url: string) {
  const call = (id: string) => ({
    id,
    type: 'http',
    parameters: { method: 'POST', url: `${url}/${id}`, body: { n: '{{ $trigger.n }}' } },
  });
  return chain(
    call('first'),
    { id: 'pure', type: 'set', parameters: { fields: { n: '{{ $trigger.n }}' } } },
    call('last'),
  );
}

describe('under load, with the network cut here and there', () => {
  it('every acknowledged run ends once, none is lost, and every part comes back by itself', async () => {
    const instance = await startInstance();
    await logMoves(instance.db);
    let callMs = 200;
    const receiver = await startReceiver(() => callMs);
    const workflowId = await createWorkflow(instance, definition(receiver.url));
    const apiRedis = await startTcpProxy(instance.redis.url);
    const workerRedis = await startTcpProxy(instance.redis.url);
    const workerPostgres = await startTcpProxy(instance.databaseUrl);
    const stores = { DATABASE_URL: instance.databaseUrl, REDIS_URL: instance.redis.url };
    const metricsPorts = [await freePort(), await freePort(), await freePort(), await freePort()] as const;
    const metrics = (worker: number) => ({ METRICS_PORT: String(metricsPorts[worker]) });
    const [api, ...workers] = await Promise.all([
      spawnApp('api', { ...stores, REDIS_URL: apiRedis.url }),
      spawnApp('worker', { ...stores, ...metrics(0), REDIS_URL: workerRedis.url }),
      spawnApp('worker', { ...stores, ...metrics(1), DATABASE_URL: workerPostgres.url }),
      spawnApp('worker', { ...stores, ...metrics(2) }),
      spawnApp('worker', { ...stores, ...metrics(3) }),
    ]);
    await untilAllConsume(instance, workers);
    const load = startLoad({
      urls: [api.url],
      path: `/api/workflows/${workflowId}/execute`,
      key: instance.key,
      perSecond: RUNS_PER_SECOND,
      body: (n) => ({ input: { n } }),
    });
    const comeBack = async () => untilAllConsume(instance, workers);
    const called = receiver.calls.length;
    await until(() => receiver.calls.length > called + 20, 'the load');

    for (const proxy of [apiRedis, workerRedis, workerPostgres]) {
      await proxy.cut();
      await sleep(CUT_MS);
      await proxy.restore();
      await comeBack();
    }
    for (const proxy of [apiRedis, workerRedis, workerPostgres]) proxy.silence();
    await sleep(CUT_MS);
    for (const proxy of [apiRedis, workerRedis, workerPostgres]) await proxy.restore();
    await comeBack();

    callMs = 2_000;
    // Two calls of two seconds: a run that began half a second ago cannot end before the worker freezes.
    const newRunOfFrozen = await until(
      () =>
        instance.db.execution.findFirst({
          where: { workerId: { not: null }, finishedAt: null, startedAt: { gt: new Date(Date.now() - 500) } },
        }),
      'a new run',
    );
    const frozenId = newRunOfFrozen.workerId ?? '';
    const frozenPid = await pidOf(instance, frozenId);
    const metricsPort = metricsPorts[workers.findIndex(({ pid }) => pid === frozenPid)];
    process.kill(frozenPid, 'SIGSTOP');
    const frozenAt = new Date();
    callMs = 200;
    await sleep(CUT_MS);
    const workerOf = async (id: string) => (await instance.db.execution.findUniqueOrThrow({ where: { id } })).workerId;
    await until(async () => (await workerOf(newRunOfFrozen.id)) !== frozenId, 'the takeover of its run');
    const thawedAt = new Date();
    process.kill(frozenPid, 'SIGCONT');
    await comeBack();
    // Its writes for its former runs are refused.
    const fenced = async () =>
      total(await scrape(`http://127.0.0.1:${metricsPort}`), 'deckhand_checkpoints_total', { verdict: 'fenced' });
    await until(async () => (await fenced()) > 0, 'a refused write of the thawed worker');
    const whileFrozen = await countMoves(instance, frozenId, new Date(frozenAt.getTime() + 500), thawedAt);

    const report = await load.stop();
    const { acknowledged, refused, statuses, unanswered, latencies } = report;
    const isDone = async () => (await instance.db.execution.count({ where: { workflowId, finishedAt: null } })) === 0;
    await until(isDone, 'the end of every run');
    const { lost, doubled, repeated, effects } = await tally(instance.db, acknowledged, receiver.calls, {
      effects: EFFECTS,
    });
    process.stdout.write(
      `network cuts of ${CUT_MS / 1_000} s: API↔Redis, worker↔Redis, worker↔PostgreSQL, all three silent, a worker frozen\n` +
        `  ${acknowledged.length} runs acknowledged, lost ${lost}, doubled ${doubled}; effects ${effects}, called again ${repeated}\n` +
        `  answers ${JSON.stringify(statuses)}, p99 of accepting ${Math.round(quantile(latencies, 0.99))} ms\n`,
    );
    expect({ lost, doubled, whileFrozen, unanswered }).toEqual({ lost: 0, doubled: 0, whileFrozen: 0, unanswered: [] });
    expect(acknowledged.length).toBeGreaterThan(0);
    // Runs that could not be queued were refused, and did nothing.
    expect(Object.keys(statuses).filter((status) => status !== '202' && status !== '503 QUEUE_UNAVAILABLE')).toEqual(
      [],
    );
    const refusedRuns = await instance.db.execution.findMany({ where: { id: { in: [...refused] } } });
    expect(refusedRuns.filter(({ status }) => status !== 'failed')).toEqual([]);
    const begun = new Set(receiver.calls.map(({ idempotencyKey }) => idempotencyKey.split(':')[0]));
    expect(refused.filter((id) => begun.has(id))).toEqual([]);
    await Promise.all([api, ...workers].map((app) => app.stop()));
  });
});

async function untilAllConsume({ gateway, key }: Instance, workers: readonly TestApp[]): Promise<void> {
  await until(async () => {
    const { body } = await gateway.call('GET', '/api/monitoring/fleet', { as: key });
    const consuming = (body.data as { pid: number; state: string }[]).filter(({ state }) => state === 'consuming');
    const pids = new Set(consuming.map(({ pid }) => pid));
    return workers.every(({ pid }) => pids.has(pid));
  }, 'all workers consuming');
}

async function pidOf({ gateway, key }: Instance, workerId: string): Promise<number> {
  const { body } = await gateway.call('GET', '/api/monitoring/fleet', { as: key });
  const entry = (body.data as { pid: number; id: string }[]).find(({ id }) => id === workerId);
  if (!entry) throw new Error('the worker is not in the fleet');
  return entry.pid;
}

async function countMoves({ db }: Instance, workerId: string, from: Date, to: Date): Promise<number> {
  const [row] = await db.$queryRaw<{ moves: bigint }[]>`
    SELECT count(*) AS moves FROM moves WHERE worker_id = ${workerId}::uuid AND at > ${from} AND at < ${to}`;
  return Number(row?.moves);
}
