import type { Definition } from '@deckhand/contracts';
import { createDatabase, type Database } from '@deckhand/db';
import { connectRedis, createRunQueue } from '@deckhand/queue';
import { afterAll, describe, expect, it } from '@jest/globals';
import {
  type ReceivedCall,
  seedWorkflow,
  spawnApp,
  startReceiver,
  startTestPostgres,
  startTestRedis,
  stopAll,
  stopLater,
  type TestApp,
  until,
} from '../harness/index.js';

const RUNS = 300;
const WORKERS = 3;
const KILLS = 4;

afterAll(stopAll);

/** A loop over three items with a call each, a wait, and a call at the end: eight calls of effects and pure nodes around. */
function definition(url: string): Definition {
  const call = (id: string, path: string) => ({
    id,
    type: 'http',
    parameters: { method: 'POST', url: `${url}/${path}`, body: { n: '{{ $trigger.n }}' } },
    retry: { maxAttempts: 5, delayMs: 200 },
  });
  return {
    nodes: [
      { id: 'start', type: 'trigger.manual' },
      call('first', 'first/{{ $trigger.n }}'),
      { id: 'each', type: 'loop', parameters: { items: [1, 2, 3], concurrency: 2 } },
      { id: 'pure', type: 'set', parameters: { fields: { item: '{{ $loop.item }}' } } },
      call('inside', 'inside/{{ $trigger.n }}/{{ $loop.item }}'),
      { id: 'pause', type: 'wait', parameters: { seconds: 1 } },
      call('last', 'last/{{ $trigger.n }}'),
      { id: 'end', type: 'terminal', parameters: { body: '{{ $nodes.each.output.length }}' } },
    ],
    edges: [
      { source: 'start', target: 'first' },
      { source: 'first', target: 'each' },
      { source: 'each', sourceHandle: 'body', target: 'pure' },
      { source: 'pure', target: 'inside' },
      { source: 'each', sourceHandle: 'done', target: 'pause' },
      { source: 'pause', target: 'last' },
      { source: 'last', target: 'end' },
    ],
  };
}

describe('chaos', () => {
  it('workers killed, Redis emptied, PostgreSQL restarted: no run is lost, and nothing finished is done again', async () => {
    const postgres = await startTestPostgres();
    const redis = await startTestRedis();
    const env = { DATABASE_URL: postgres.url, REDIS_URL: redis.url, WORKER_CONCURRENCY: '50', LOG_LEVEL: 'warn' };
    const db = createDatabase({ url: postgres.url, poolSize: 4 });
    stopLater({ stop: () => db.$disconnect() });
    const receiver = await startReceiver(() => 40);
    const seed = await seedWorkflow(db, definition(receiver.url));
    const workers = await Promise.all(Array.from({ length: WORKERS }, () => spawnApp('worker', env)));

    await startRuns(redis.url, (n) => seed.accept({ n }));
    const deaths: number[] = [];
    const finished = () => db.execution.count({ where: { workflowId: seed.workflowId, status: 'success' } });
    const reach = (share: number) =>
      until(async () => receiver.calls.length >= RUNS * 5 * share, 60_000, `${share} of the calls`);

    for (let kill = 0; kill < KILLS; kill += 1) {
      await reach((kill + 1) * 0.15);
      await replace(workers, kill % WORKERS, env);
      deaths.push(Date.now());
      if (kill === 1) await flush(redis.url);
      if (kill === 2) await postgres.restart();
    }
    await until(async () => (await finished().catch(() => 0)) === RUNS, 120_000, 'the end of every run');

    await report(db, seed.workflowId, receiver.calls, deaths);
    for (const worker of workers) await worker.stop();
  }, 300_000);
});

async function startRuns(redisUrl: string, accept: (n: number) => Promise<string>): Promise<void> {
  const redis = connectRedis(redisUrl, { role: 'producer' });
  redis.on('error', () => undefined);
  await until(() => redis.status === 'ready');
  const queue = createRunQueue(redis);
  for (let n = 0; n < RUNS; n += 1) await queue.add([{ executionId: await accept(n), dispatch: 1 }]);
  await queue.close();
  redis.disconnect();
}

async function replace(workers: TestApp[], index: number, env: Record<string, string>): Promise<void> {
  await workers[index]?.kill('SIGKILL');
  workers[index] = await spawnApp('worker', env);
}

async function flush(redisUrl: string): Promise<void> {
  const redis = connectRedis(redisUrl, { role: 'blocking' });
  await redis.flushall();
  redis.disconnect();
}

/** Holds the calls against the runs, and prints what the faults cost. */
async function report(db: Database, workflowId: string, calls: readonly ReceivedCall[], deaths: readonly number[]) {
  const runs = await db.execution.findMany({ where: { workflowId } });
  expect(runs.filter(({ status }) => status !== 'success')).toEqual([]);

  const byPath = new Map<string, ReceivedCall[]>();
  for (const call of calls) byPath.set(call.path, [...(byPath.get(call.path) ?? []), call]);
  // Every effect was called, and by every run.
  expect(byPath.size).toBe(RUNS * 5);
  const repeated = [...byPath.values()].filter((list) => list.length > 1);
  for (const list of repeated) {
    // Only what was in flight when a worker died, at most once more a death, and always with the same key.
    expect(list.length).toBeLessThanOrEqual(1 + deaths.length);
    expect(new Set(list.map((call) => call.idempotencyKey)).size).toBe(1);
  }
  const attempts = await db.nodeRun.count({
    where: { executionId: { in: runs.map(({ id }) => id) }, status: { not: 'success' } },
  });
  expect(attempts).toBe(0);
  process.stdout.write(
    `chaos: ${RUNS} runs, ${deaths.length} workers killed, lost 0, doubled 0; effects called again after a death: ${repeated.length} of ${byPath.size}\n`,
  );
}
