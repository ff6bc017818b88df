import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { JsonObject } from '@deckhand/contracts';
import { connectRedis, createRunQueue, readFleet, type Redis, type RunQueue } from '@deckhand/queue';
import type { Database } from '@deckhand/db';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  chain,
  expectWithin,
  type Instance,
  itInTime,
  logMoves,
  NEVER_MS,
  promised,
  type Receiver,
  seedWorkflow,
  spawnApp,
  startInstance,
  startReceiver,
  startTcpProxy,
  stopAll,
  stopLater,
  tally,
  type TestApp,
  until,
} from '../../harness/index.ts';

const NEIGHBOURS = 5;
/** Shorter than the default, so that the test need not wait for it. */
const MAX_BLOCKED_MS = 6_000;
/** Long enough for another worker to start and to take the runs. */
const LONG_BLOCKED_MS = 30_000;
const EXIT_BLOCKED = 'code 70';
const BLOCKING = ['--import', join(import.meta.dirname, '../../harness/block-on-marker.mjs')];

let instance: Instance;
let redis: Redis;
let queue: RunQueue;
/** Those of the current test: a worker that outlives it would take the runs of the next one. */
const workers: TestApp[] = [];

beforeAll(async () => {
  instance = await startInstance();
  await logMoves(instance.db);
  await logLosses(instance.db);
  redis = connectRedis(instance.redis.url, { role: 'producer' });
  redis.on('error', () => undefined);
  await until(() => redis.status === 'ready');
  queue = createRunQueue(redis);
  stopLater({
    stop: async () => {
      await queue.close();
      redis.disconnect();
    },
  });
});
afterEach(() => Promise.all(workers.splice(0).map((worker) => worker.stop())));
afterAll(stopAll);

/** Records the runs for which a loss was counted, because a finished node resets the number. */
async function logLosses(db: Database): Promise<void> {
  for (const statement of [
    'CREATE TABLE losses (execution_id uuid)',
    `CREATE FUNCTION log_loss() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       INSERT INTO losses VALUES (NEW.id);
       RETURN NULL;
     END $$`,
    `CREATE TRIGGER log_loss AFTER UPDATE ON executions FOR EACH ROW
       WHEN (NEW.losses > OLD.losses) EXECUTE FUNCTION log_loss()`,
  ]) {
    await db.$executeRawUnsafe(statement);
  }
}

/** Returns those of the given runs for which a loss was counted. */
async function readLosers(ids: readonly string[]): Promise<string[]> {
  const rows = await instance.db.$queryRaw<{ id: string }[]>`
    SELECT DISTINCT execution_id AS id FROM losses WHERE execution_id = ANY (${ids}::uuid[])`;
  return rows.map(({ id }) => id);
}

async function startWorker({
  databaseUrl = instance.databaseUrl,
  maxBlockedMs = MAX_BLOCKED_MS,
} = {}): Promise<TestApp> {
  const env = {
    DATABASE_URL: databaseUrl,
    REDIS_URL: instance.redis.url,
    WORKER_MAX_BLOCKED_MS: String(maxBlockedMs),
  };
  const worker = await spawnApp('worker', env, { nodeArgs: BLOCKING });
  workers.push(worker);
  return worker;
}

const read = (id: string) => instance.db.execution.findUniqueOrThrow({ where: { id } });
const readAll = (ids: readonly string[]) => Promise.all(ids.map(read));
const entryOf = async ({ pid }: TestApp) => (await readFleet(redis)).find((entry) => entry.pid === pid);

interface Scene {
  readonly receiver: Receiver;
  /** The run that blocks its worker. */
  readonly blockingRun: string;
  /**
   * Runs that are in the middle of a call when their worker is blocked. When called again, they get their response at
   * once.
   */
  readonly neighbours: readonly string[];
}

/**
 * @param blockForMs how long the response to the blocking run's call blocks, by the number of earlier calls.
 * @param unblockedBy a file that ends the block once it exists.
 */
async function startRuns(blockForMs: (earlier: number) => number, unblockedBy?: string): Promise<Scene> {
  const receiver = await startReceiver(
    (path, earlier) => (path === '/neighbour' && earlier < NEIGHBOURS ? NEVER_MS : 0),
    {
      body: (path, earlier): JsonObject =>
        path === '/blockingRun' ? { blockForMs: blockForMs(earlier), ...(unblockedBy && { unblockedBy }) } : {},
    },
  );
  const start = async (path: string, count: number) => {
    const call = { id: 'call', type: 'http', parameters: { url: receiver.url + path, method: 'POST' } };
    const seed = await seedWorkflow(instance.db, chain(call));
    const ids = await Promise.all(Array.from({ length: count }, () => seed.accept()));
    await queue.add(ids.map((executionId) => ({ workspaceId: seed.workspaceId, executionId, dispatch: 1 })));
    return ids;
  };
  const neighbours = await start('/neighbour', NEIGHBOURS);
  await until(() => receiver.calls.length === NEIGHBOURS, 'the calls of the neighbours');
  const [blockingRun = ''] = await start('/blockingRun', 1);
  await until(() => receiver.calls.length > NEIGHBOURS, 'the call of the blockingRun');
  return { receiver, blockingRun, neighbours };
}

/**
 * Waits for the end of the other runs of the worker: none of them counts a loss or repeats its effect under another
 * key.
 */
async function untilNeighboursEnd({ receiver, neighbours }: Scene): Promise<void> {
  await until(
    async () => (await readAll(neighbours)).every(({ status }) => status === 'success'),
    'the end of the neighbours',
  );
  const calls = receiver.calls.filter(({ path }) => path === '/neighbour');
  expect(await tally(instance.db, neighbours, calls, { effects: 1 })).toMatchObject({ lost: 0, doubled: 0 });
}

/** When a path of the receiver was called, in ms since the epoch. */
const timesOf = ({ receiver }: Scene, path: string): number[] =>
  receiver.calls.filter((call) => call.path === path).map(({ at }) => at);

async function expectFailedForBlocking(blockingRun: string): Promise<void> {
  const { status, error, workerId } = await read(blockingRun);
  expect({ status, workerId }).toEqual({ status: 'failed', workerId: null });
  expect(JSON.parse(error ?? '')).toMatchObject({ code: 'RUN_BLOCKED_WORKER' });
}

describe('a run that blocks its worker', () => {
  it('is named by the heartbeat; others continue with the runs of that worker, and only its loss counts', async () => {
    const first = await startWorker({ maxBlockedMs: LONG_BLOCKED_MS });
    const scene = await startRuns((earlier) => (earlier === 0 ? NEVER_MS : 0));
    await until(async () => (await entryOf(first))?.occupiedBy === scene.blockingRun, 'the blockingRun to be named');
    await until(async () => (await entryOf(first))?.state === 'stalled', 'the worker to be stalled');
    await startWorker();
    await untilNeighboursEnd(scene);
    await until(async () => (await read(scene.blockingRun)).status === 'success', 'the end of the blockingRun');
    // The run continued elsewhere, so the worker that it blocked ends without failing it.
    expect(await first.ended).toBe(EXIT_BLOCKED);
    expect((await read(scene.blockingRun)).status).toBe('success');
    expect(await readLosers([scene.blockingRun, ...scene.neighbours])).toEqual([scene.blockingRun]);
  });

  itInTime('continues elsewhere once only, when the worker comes back', async () => {
    const first = await startWorker({ maxBlockedMs: NEVER_MS });
    const unblockedBy = join(dirname(first.logPath), 'unblocked');
    const scene = await startRuns((earlier) => (earlier === 0 ? NEVER_MS : 0), unblockedBy);
    await startWorker();
    const readyAt = Date.now();
    await untilNeighboursEnd(scene);
    await until(async () => (await read(scene.blockingRun)).status === 'success', 'the end of the blockingRun');
    await writeFile(unblockedBy, '');
    const ended = await readAll([scene.blockingRun, ...scene.neighbours]);
    await until(async () => {
      const entry = await entryOf(first);
      return entry?.state === 'consuming' && entry.active === 0 && entry.blockedMs === 0 && !entry.occupiedBy;
    }, 'the worker to notice what it lost');
    await until(() => first.output().includes('event loop was blocked'), 'the log of the block');
    expect(await readAll([scene.blockingRun, ...scene.neighbours])).toEqual(ended);
    expect(await readLosers(scene.neighbours)).toEqual([]);
    const [blockedAt = Infinity] = timesOf(scene, '/blockingRun');
    const calledAgainAt = timesOf(scene, '/neighbour').slice(NEIGHBOURS);
    expect(calledAgainAt.length).toBeGreaterThan(0);
    const since = Math.max(blockedAt, readyAt);
    expectWithin(promised("a run blocks a worker's event loop"), Math.max(...calledAgainAt) - since);
  });
});

describe('a run that blocks its worker while PostgreSQL does not answer', () => {
  it('does not keep the process from ending, and counts the loss', async () => {
    const postgres = await startTcpProxy(instance.databaseUrl);
    const worker = await startWorker({ databaseUrl: postgres.url });
    const scene = await startRuns((earlier) => (earlier === 0 ? NEVER_MS : 0));
    await until(async () => (await read(scene.blockingRun)).workerId !== null, 'the claim of the blockingRun');
    postgres.silence(() => true);
    expect(await worker.ended).toBe(EXIT_BLOCKED);
    await startWorker();
    await untilNeighboursEnd(scene);
    await until(async () => (await read(scene.blockingRun)).status === 'success', 'the end of the blockingRun');
    expect(await readLosers([scene.blockingRun, ...scene.neighbours])).toEqual([scene.blockingRun]);
  });
});

describe('a run that blocks every worker', () => {
  it('fails, and the workers that it blocked end, so that others continue', async () => {
    const blocked = [await startWorker(), await startWorker()];
    const scene = await startRuns(() => NEVER_MS);
    await Promise.race(blocked.map(({ ended }) => ended));
    await expectFailedForBlocking(scene.blockingRun);
    for (const worker of blocked) expect(await worker.ended).toBe(EXIT_BLOCKED);
    await startWorker();
    await untilNeighboursEnd(scene);
  });

  itInTime('fails where there is one worker, which continues by itself once it is started again', async () => {
    const worker = await startWorker();
    const scene = await startRuns(() => NEVER_MS);
    expect(await worker.ended).toBe(EXIT_BLOCKED);
    const endedAt = Date.now();
    await expectFailedForBlocking(scene.blockingRun);
    await startWorker();
    await untilNeighboursEnd(scene);
    expect(await readLosers(scene.neighbours)).toEqual([]);
    const [blockedAt = Infinity] = timesOf(scene, '/blockingRun');
    const { what, ms } = promised('the same for longer than `WORKER_MAX_BLOCKED_MS`', 'at most 6 s later');
    expectWithin({ what, ms: MAX_BLOCKED_MS + ms }, endedAt - blockedAt);
  });
});
