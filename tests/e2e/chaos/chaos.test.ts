import type { Definition } from '@deckhand/contracts';
import { createDatabase, type Database } from '@deckhand/db';
import { connectRedis, createRunQueue } from '@deckhand/queue';
import { afterAll, describe, expect, it } from '@jest/globals';
import {
  logMoves,
  quantile,
  type ReceivedCall,
  seedWorkflow,
  spawnApp,
  startReceiver,
  startTestPostgres,
  startTestRedis,
  stopAll,
  stopLater,
  tally,
  type TestApp,
  until,
  untilCount,
} from '../../harness/index.ts';

const RUNS = 500;
const WORKERS = 3;
/** Other faults that come with the death of a worker, in turn. */
const DEATHS = ['', '', '', 'Redis emptied', 'PostgreSQL restarted', 'Redis killed'] as const;

afterAll(stopAll);

/**
 * A loop over three items with a call each, a wait, and a call at the end: five calls with effects among pure nodes.
 */
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
    const env = { DATABASE_URL: postgres.url, REDIS_URL: redis.url, WORKER_CONCURRENCY: '15' };
    const db = createDatabase({ url: postgres.url, poolSize: 4 });
    stopLater({ stop: () => db.$disconnect() });
    const receiver = await startReceiver(() => 500);
    await logMoves(db);
    const seed = await seedWorkflow(db, definition(receiver.url));
    const workers = await Promise.all(Array.from({ length: WORKERS }, () => spawnApp('worker', env)));

    await startRuns(redis.url, (n) => seed.accept({ n }));
    const deaths: Death[] = [];
    const finished = () => db.execution.count({ where: { workflowId: seed.workflowId, status: 'success' } });
    const reach = (share: number) =>
      until(async () => receiver.calls.length >= RUNS * 5 * share, `${share} of the calls`);

    for (const [index, beside] of DEATHS.entries()) {
      await reach((index + 1) * 0.1);
      deaths.push({ beside, ...(await kill(workers, index % WORKERS, db)) });
      if (beside === 'Redis emptied') await flush(redis.url);
      if (beside === 'PostgreSQL restarted') await postgres.restart();
      if (beside === 'Redis killed') await redis.restart();
      workers[index % WORKERS] = await spawnApp('worker', env);
      // The next worker to die is one that has been in the fleet for a while, as when workers die for unrelated
      // reasons.
      if (beside === '') await until(() => haveMoved(db, deaths.at(-1)), 'the runs of the dead worker');
    }
    await untilCount(finished, RUNS, 'runs that ended');

    await report(db, seed.workflowId, receiver.calls, deaths);
    for (const worker of workers) await worker.stop();
  });
});

async function startRuns(redisUrl: string, accept: (n: number) => Promise<string>): Promise<void> {
  const redis = connectRedis(redisUrl, { role: 'producer' });
  redis.on('error', () => undefined);
  await until(() => redis.status === 'ready');
  const queue = createRunQueue(redis);
  for (let n = 0; n < RUNS; n += 1) await queue.add([{ workspaceId: 'w', executionId: await accept(n), dispatch: 1 }]);
  await queue.close();
  redis.disconnect();
}

/** The end of a worker, and the runs that it held. */
interface Death {
  /** The other fault at that time; empty for none. */
  readonly beside: (typeof DEATHS)[number];
  /** ms since the epoch. */
  readonly at: number;
  readonly held: readonly string[];
}

async function kill(workers: readonly TestApp[], index: number, db: Database): Promise<Omit<Death, 'beside'>> {
  const worker = workers[index];
  if (!worker) throw new Error('there is no such worker');
  await worker.kill('SIGKILL');
  const at = Date.now();
  const running = await db.execution.findMany({ where: { status: 'running', workerId: { not: null } } });
  const held = running.filter(({ workerId }) => worker.output().includes(workerId ?? '-')).map(({ id }) => id);
  return { at, held };
}

async function haveMoved(db: Database, death: Death | undefined): Promise<boolean> {
  if (!death) return true;
  const [row] = await db.$queryRaw<{ moved: bigint }[]>`
    SELECT count(DISTINCT execution_id) AS moved FROM moves
    WHERE execution_id = ANY (${death.held}::uuid[]) AND at > ${new Date(death.at)}`;
  return Number(row?.moved) === death.held.length;
}

/** How long the runs of dead workers made no progress, in ms: until their next checkpoint. */
async function standstills(db: Database, deaths: readonly Death[]): Promise<{ clean: number[]; others: number[] }> {
  const moves = await db.$queryRaw<{ id: string; at: Date }[]>`SELECT execution_id AS id, at FROM moves ORDER BY at`;
  const result: { clean: number[]; others: number[] } = { clean: [], others: [] };
  for (const { beside, at, held } of deaths) {
    const ids = new Set(held);
    for (const move of moves) {
      if (move.at.getTime() <= at || !ids.delete(move.id)) continue;
      (beside === '' ? result.clean : result.others).push(move.at.getTime() - at);
    }
  }
  result.clean.sort((a, b) => a - b);
  result.others.sort((a, b) => a - b);
  return result;
}

async function flush(redisUrl: string): Promise<void> {
  const redis = connectRedis(redisUrl, { role: 'blocking' });
  await redis.flushall();
  redis.disconnect();
}

/** Compares the calls with the runs, and prints the costs of the faults. */
async function report(db: Database, workflowId: string, calls: readonly ReceivedCall[], deaths: readonly Death[]) {
  const runs = await db.execution.findMany({ where: { workflowId } });
  expect(runs.filter(({ status }) => status !== 'success')).toEqual([]);

  const byPath = new Map<string, ReceivedCall[]>();
  for (const call of calls) byPath.set(call.path, [...(byPath.get(call.path) ?? []), call]);
  // Every effect was called by every run.
  expect(byPath.size).toBe(RUNS * 5);
  const repeated = [...byPath.values()].filter((list) => list.length > 1);
  for (const list of repeated) {
    // Only nodes in flight when a worker died are called again: at most once more per death, and always with the same
    // key.
    expect(list.length).toBeLessThanOrEqual(1 + deaths.length);
    expect(new Set(list.map((call) => call.idempotencyKey)).size).toBe(1);
  }
  // Each run ended once: the fence refuses a second end.
  const { lost, doubled } = await tally(
    db,
    runs.map(({ id }) => id),
    calls,
    { effects: 5 },
  );
  expect({ runs: runs.length, lost, doubled }).toEqual({ runs: RUNS, lost: 0, doubled: 0 });
  const attempts = await db.nodeRun.count({
    where: { executionId: { in: runs.map(({ id }) => id) }, status: { not: 'success' } },
  });
  expect(attempts).toBe(0);
  const { clean, others } = await standstills(db, deaths);
  const figures = (list: readonly number[]) =>
    `p50 ${quantile(list, 0.5)} ms, p99 ${quantile(list, 0.99)} ms, most ${Math.max(...list)} ms (${list.length} runs)`;
  process.stdout.write(
    `chaos: ${RUNS} runs, ${deaths.length} workers killed, lost ${lost}, doubled ${doubled}; effects called again after a death: ${repeated.length} of ${byPath.size}\n` +
      `  from a worker's death to the next checkpoint of its runs: ${figures(clean)}\n` +
      `  with Redis or PostgreSQL away at the same time: ${figures(others)}\n`,
  );
}
