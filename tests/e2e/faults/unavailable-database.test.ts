import { connectRedis, createRunQueue, readFleet, type Redis, type RunQueue } from '@deckhand/queue';
import { createDatabase } from '@deckhand/db';
import type { Definition } from '@deckhand/contracts';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  chain,
  expectWithin,
  itInTime,
  logMoves,
  promised,
  type Receiver,
  type Seed,
  seedWorkflow,
  startReceiver,
  startTestPostgres,
  startTestRedis,
  startTestWorker,
  stopAll,
  stopLater,
  type Stores,
  tally,
  until,
} from '../../harness/index.ts';

const RUNS = 80;
const FINISHED = ['success', 'failed', 'timeout', 'stopped'] as const;

let stores: Stores;
let redis: Redis;
let queue: RunQueue;
let receiver: Receiver;
let workers: Awaited<ReturnType<typeof startTestWorker>>[] = [];
/** What the last response to each run waits for. */
let held: Promise<unknown> = Promise.resolve();

beforeAll(async () => {
  const postgres = await startTestPostgres();
  // A client that can write although the server's default is read-only.
  const db = createDatabase({ url: `${postgres.url}?options=-c%20default_transaction_read_only%3Doff`, poolSize: 4 });
  stopLater({ stop: () => db.$disconnect() });
  stores = { databaseUrl: postgres.url, db, redis: await startTestRedis() };
  await logMoves(db);
  redis = connectRedis(stores.redis.url, { role: 'producer' });
  await until(() => redis.status === 'ready');
  queue = createRunQueue(redis);
  const isLast = (path: string): boolean => path === '/last' || path === `/item/${LOOP_EFFECTS - 1}`;
  receiver = await startReceiver(() => 20, { held: (path) => (isLast(path) ? held : Promise.resolve()) });
});
afterEach(async () => {
  await Promise.all(workers.map((worker) => worker.stop()));
  workers = [];
});
afterAll(async () => {
  await queue.close();
  redis.disconnect();
  await stopAll();
});

const startWorker = async () => workers.push(await startTestWorker(stores, { concurrency: 60, mayRecover: true }));
const http = (id: string, path: string) => ({ id, type: 'http', parameters: { url: `${receiver.url}/${path}` } });
const wait = (id: string, seconds: number) => ({ id, type: 'wait', parameters: { seconds } });

/** Calls, a loop whose body calls, and waits: 5 effects. */
const calling = (): Definition => ({
  nodes: [
    { id: 'start', type: 'trigger.manual' },
    http('first', 'first'),
    wait('rest', 0.3),
    { id: 'each', type: 'loop', parameters: { items: [1, 2, 3] } },
    http('call', 'item/{{ $loop.index }}'),
    wait('pause', 0.1),
    http('last', 'last'),
  ],
  edges: [
    { source: 'start', target: 'first' },
    { source: 'first', target: 'rest' },
    { source: 'rest', target: 'each' },
    { source: 'each', sourceHandle: 'body', target: 'call' },
    { source: 'call', target: 'pause' },
    { source: 'each', sourceHandle: 'done', target: 'last' },
  ],
});
const EFFECTS = 5;

/** Calls one after another, so that a worker holds the run until its end. */
const looping = (): Definition => ({
  nodes: [
    { id: 'start', type: 'trigger.manual' },
    { id: 'each', type: 'loop', parameters: { items: Array.from({ length: LOOP_EFFECTS }, (_, index) => index) } },
    http('call', 'item/{{ $loop.index }}'),
  ],
  edges: [
    { source: 'start', target: 'each' },
    { source: 'each', sourceHandle: 'body', target: 'call' },
  ],
});
const LOOP_EFFECTS = 20;

async function startRuns({ workspaceId, accept }: Seed, count: number): Promise<string[]> {
  const ids = await Promise.all(Array.from({ length: count }, () => accept()));
  await queue.add(ids.map((executionId) => ({ workspaceId, executionId, dispatch: 1 })));
  return ids;
}

/** Starts runs, and changes something while they are in progress: none ends before. */
async function startBefore(seed: Seed, count: number, change: () => Promise<unknown>): Promise<string[]> {
  const before = receiver.calls.length;
  const hold = Promise.withResolvers<undefined>();
  held = hold.promise;
  try {
    const ids = await startRuns(seed, count);
    await until(() => receiver.calls.length > before + count / 2, 'runs in progress');
    await change();
    return ids;
  } finally {
    hold.resolve(undefined);
  }
}
const countOf = ({ workflowId }: Seed, statuses: readonly (typeof FINISHED)[number][]) =>
  stores.db.execution.count({ where: { workflowId, status: { in: [...statuses] } } });
const allFinished = (seed: Seed, count: number) =>
  until(async () => (await countOf(seed, FINISHED)) === count, 'the end of every run');
const untilState = (state: string) =>
  until(async () => (await readFleet(redis)).some((entry) => entry.state === state), `a worker that is ${state}`);

async function setReadOnly(isReadOnly: boolean): Promise<void> {
  await stores.db.$executeRawUnsafe(
    `ALTER SYSTEM ${isReadOnly ? 'SET default_transaction_read_only = on' : 'RESET default_transaction_read_only'}`,
  );
  await stores.db.$queryRaw`SELECT pg_reload_conf()`;
}

/** Makes PostgreSQL read-only while runs are in progress, until some work is done. @returns the ids of the runs. */
async function beReadOnly(seed: Seed, count: number, work: () => Promise<void>): Promise<string[]> {
  try {
    const ids = await startBefore(seed, count, () => setReadOnly(true));
    await work();
    return ids;
  } finally {
    await setReadOnly(false);
  }
}

describe('while PostgreSQL is read-only', () => {
  itInTime('no run is lost, none ends twice and no effect is repeated, and the worker takes no more jobs', async () => {
    const seed = await seedWorkflow(stores.db, calling());
    await startWorker();
    let stalledAfter = Infinity;
    const ids = await beReadOnly(seed, RUNS, async () => {
      const since = performance.now();
      await untilState('stalled');
      stalledAfter = performance.now() - since;
    });
    await allFinished(seed, RUNS);
    expect(await tally(stores.db, ids, receiver.calls, { effects: EFFECTS })).toEqual({
      lost: 0,
      doubled: 0,
      repeated: 0,
      effects: RUNS * EFFECTS,
    });
    await untilState('consuming');
    expectWithin(promised('PostgreSQL is read-only', 'after 2 s'), stalledAfter);
  });

  it('a worker that is asked to stop ends, and another continues with its runs', async () => {
    const seed = await seedWorkflow(stores.db, looping());
    await startWorker();
    const ids = await beReadOnly(seed, 20, async () => {
      await untilState('stalled');
      await workers[0]?.stop();
    });
    await startWorker();
    await allFinished(seed, 20);
    expect(await tally(stores.db, ids, receiver.calls, { effects: LOOP_EFFECTS })).toMatchObject({
      lost: 0,
      doubled: 0,
    });
  });
});

describe('while the schema is not what the worker needs', () => {
  it('no run fails, and the worker takes no more jobs', async () => {
    const seed = await seedWorkflow(stores.db, looping());
    await startWorker();
    await startBefore(
      seed,
      20,
      () => stores.db.$executeRaw`ALTER TABLE node_runs RENAME COLUMN attempts TO attempts_before`,
    );
    try {
      await untilState('stalled');
    } finally {
      await stores.db.$executeRaw`ALTER TABLE node_runs RENAME COLUMN attempts_before TO attempts`;
    }
    await allFinished(seed, 20);
    expect(await countOf(seed, ['success'])).toBe(20);
  });
});

describe('a value that PostgreSQL cannot store', () => {
  it('fails its own run with a code, and no other', async () => {
    const bad = await seedWorkflow(stores.db, chain(http('bad', 'bad'), http('more', 'more')));
    const good = await seedWorkflow(stores.db, chain(http('good', 'good'), http('more', 'more')));
    await stores.db.$executeRaw`
      ALTER TABLE node_runs ADD CONSTRAINT no_bad CHECK (node_id <> 'bad' OR status <> 'success') NOT VALID`;
    await startWorker();
    const [id = ''] = await startRuns(bad, 1);
    await startRuns(good, 20);
    await Promise.all([allFinished(bad, 1), allFinished(good, 20)]);
    expect(await countOf(good, ['success'])).toBe(20);
    const { status, error } = await stores.db.execution.findUniqueOrThrow({ where: { id } });
    expect([status, JSON.parse(error ?? '')]).toMatchObject(['failed', { code: 'VALUE_NOT_STORABLE' }]);
    await stores.db.$executeRaw`ALTER TABLE node_runs DROP CONSTRAINT no_bad`;
  });
});
