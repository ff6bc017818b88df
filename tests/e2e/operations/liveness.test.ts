import { createDatabase, type Database } from '@deckhand/db';
import { ensureFaketime, faketimeEnv } from '@deckhand/local';
import {
  writeHeartbeat,
  connectRedis,
  createRunQueue,
  HEARTBEATS_KEY,
  openRunConsumer,
  readFleet,
  type Redis,
  type RunQueue,
} from '@deckhand/queue';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import {
  chain,
  createTestDatabase,
  expectWithin,
  itInTime,
  itUnless,
  promised,
  runOps,
  type Seed,
  seedWorkflow,
  spawnApp,
  startTestRedis,
  stopAll,
  stopLater,
  until,
} from '../../harness/index.ts';

/** Older than a heartbeat may be, in ms. */
const LATE_MS = 3_500;

let env: { DATABASE_URL: string; REDIS_URL: string };
let db: Database;
let redis: Redis;
let queue: RunQueue;
let seed: Seed;

beforeAll(async () => {
  const database = await createTestDatabase();
  env = { DATABASE_URL: database.url, REDIS_URL: (await startTestRedis()).url };
  db = createDatabase({ url: database.url, poolSize: 2 });
  redis = connectRedis(env.REDIS_URL, { role: 'producer' });
  await until(() => redis.status === 'ready');
  queue = createRunQueue(redis);
  seed = await seedWorkflow(db, chain({ id: 'a', type: 'wait', parameters: { seconds: 600 } }));
  stopLater({
    async stop() {
      await queue.close();
      redis.disconnect();
      await db.$disconnect();
    },
  });
});
afterEach(async () => {
  await db.execution.deleteMany();
});
afterAll(stopAll);

const NOT_BLOCKED = { isStandby: false, blockedMs: 0, occupiedBy: null };

/** A heartbeat that is late when it arrives, by Redis's clock. */
async function beatLate(id: string): Promise<void> {
  const startedAt = new Date().toISOString();
  const [host, pid, version] = ['here', 1, 'test'];
  await writeHeartbeat(redis, {
    id,
    host,
    pid,
    version,
    state: 'consuming',
    concurrency: 1,
    active: 0,
    startedAt,
    ...NOT_BLOCKED,
  });
  await redis.zincrby(HEARTBEATS_KEY, -LATE_MS, id);
}

/** Calls `use` while all heartbeats of a worker arrive late. */
async function withLateWorker<T>(use: (id: string) => Promise<T>): Promise<T> {
  const id = uuidv7();
  await beatLate(id);
  const timer = setInterval(() => void beatLate(id), 400);
  try {
    return await use(id);
  } finally {
    clearInterval(timer);
  }
}

async function acceptHeldBy(workerId: string): Promise<string> {
  const id = await seed.accept();
  await db.execution.update({ where: { id }, data: { workerId, status: 'running', claimedDispatch: 1 } });
  return id;
}

async function answer(args: readonly string[], more: Readonly<Record<string, string>> = {}) {
  const { exitCode, stdout, stderr } = await runOps([...args, '--json'], { ...env, ...more });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return JSON.parse(stdout);
}

const stateOf = async (id: string) =>
  (await answer(['fleet'])).workers.find((worker: { id: string }) => worker.id === id)?.state;

describe('a worker whose heartbeats are late', () => {
  it('is live for an operator who looks, and keeps its runs', async () => {
    await withLateWorker(async (id) => {
      await acceptHeldBy(id);
      expect(await stateOf(id)).toBe('consuming');
      expect(await answer(['requeue', '--all', '--dry-run'])).toMatchObject({ held: 0, deadWorkers: [] });
    });
  });

  it('keeps a job that it took a while ago; one that is dead does not', async () => {
    await withLateWorker(async (id) => {
      const executionId = await seed.accept();
      await queue.add([{ workspaceId: seed.workspaceId, executionId, dispatch: 1 }]);
      const options = { redisUrl: env.REDIS_URL, workerId: id, queue, onError: () => undefined };
      const consumer = await openRunConsumer(options);
      stopLater({ stop: () => consumer.close() });
      await until(() => consumer.take(), 'the job');
      await until(async () => {
        const [state] = await queue.jobStates([{ executionId, dispatch: 1 }]);
        return state?.kind === 'taken' && state.forMs > 3_000;
      }, 'the job to be taken for a while');
      expect(await answer(['requeue', '--all', '--dry-run'])).toMatchObject({ lost: 0 });
    });
    expect(await answer(['requeue', '--all', '--dry-run'])).toMatchObject({ lost: 1 });
  });
});

describe('a worker without heartbeats', () => {
  itInTime('is dead within 7 s when it is killed while it stands by', async () => {
    const workers = [await spawnApp('worker', env), await spawnApp('worker', env)];
    // Its heartbeats become rare once it stands by.
    const standby = await until(
      async () => (await readFleet(redis)).find((entry) => entry.isStandby && entry.lifetimeMs > 3_000),
      'a worker that stands by',
    );
    await workers.find(({ pid }) => pid === standby.pid)?.kill('SIGKILL');
    const killedAt = performance.now();
    const isDead = async () => !(await readFleet(redis)).some(({ id, isLive }) => id === standby.id && isLive);
    await until(isDead, 'the death of the worker');
    const tookMs = performance.now() - killedAt;
    for (const worker of workers) await worker.stop();
    expectWithin(promised('a worker that stands by without runs is killed'), tookMs);
  });

  it('is dead, and its runs are found', async () => {
    const id = uuidv7();
    await beatLate(id);
    await acceptHeldBy(id);
    expect(await stateOf(id)).toBe('dead');
    expect(await answer(['requeue', '--all', '--dry-run'])).toMatchObject({ held: 1, deadWorkers: [id] });
  });

  it('is silent while Redis takes no writes, since nobody could hear of it, and keeps its runs', async () => {
    const id = uuidv7();
    await beatLate(id);
    await acceptHeldBy(id);
    await redis.config('SET', 'maxmemory', '1');
    try {
      expect(await stateOf(id)).toBe('silent');
      const requeue = await runOps(['requeue', '--all', '--yes'], env);
      expect(requeue).toMatchObject({ exitCode: 1, stdout: '' });
      expect(requeue.stderr).toMatch(/^Redis refuses writes/);
    } finally {
      await redis.config('SET', 'maxmemory', '0');
    }
    expect(await db.execution.count({ where: { workerId: id } })).toBe(1);
  });
});

const faketime = await ensureFaketime((line) => process.stdout.write(`${line}\n`));
const faketimePath = faketime.kind === 'found' ? faketime.path : '';

itUnless(faketime.kind === 'missing' ? faketime.reason : undefined)(
  'chooses runs by the clock of the database, not of the operator',
  async () => {
    await seed.accept();
    for (const offset of [86_400, -86_400]) {
      const clock = faketimeEnv(faketimePath, offset);
      expect(await answer(['stop', '--all', '--dry-run'], clock)).toMatchObject({ found: 1 });
      expect(await answer(['stop', '--older-than', '1h', '--dry-run'], clock)).toMatchObject({ found: 0 });
    }
  },
);
