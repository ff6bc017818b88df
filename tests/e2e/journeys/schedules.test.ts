import { createDatabase, type Database } from '@deckhand/db';
import { connectRedis, readFleet, MAINTENANCE_LEASE_KEY, type Redis } from '@deckhand/queue';
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import {
  createTestDatabase,
  expectWithin,
  itInTime,
  promised,
  type Seed,
  seedSchedule,
  setStatus,
  spawnApp,
  startTestRedis,
  stopAll,
  stopLater,
  type Stores,
  type TestApp,
  until,
} from '../../harness/index.ts';

const SCHEDULES = 40;

let env: Record<string, string>;
let stores: Stores;
let db: Database;
let redis: Redis;
/** The current time, as the activation of schedules reads it. */
const clock = {
  get now() {
    return Date.now();
  },
};

beforeAll(async () => {
  const database = await createTestDatabase();
  const server = await startTestRedis();
  env = { DATABASE_URL: database.url, REDIS_URL: server.url };
  db = createDatabase({ url: database.url, poolSize: 4 });
  stopLater({ stop: () => db.$disconnect() });
  stores = { databaseUrl: database.url, db, redis: server };
  redis = connectRedis(server.url, { role: 'producer' });
  redis.on('error', () => undefined);
  await until(() => redis.status === 'ready');
  stopLater({
    stop() {
      redis.disconnect();
      return Promise.resolve();
    },
  });
});
afterAll(stopAll);

/** The worker that fires at present. A killed worker holds the lease until it expires. */
function firingWorker(workers: readonly TestApp[]): Promise<TestApp> {
  return until(async () => {
    const holder = await redis.get(MAINTENANCE_LEASE_KEY);
    const pid = (await readFleet(redis)).find(({ id }) => id === holder)?.pid;
    return workers.find((candidate) => candidate.pid === pid);
  }, 'one of the running workers to hold the lease');
}

/** Waits until the next second is being fired. */
async function nextFiring(): Promise<void> {
  const count = await db.execution.count();
  await until(async () => (await db.execution.count()) > count, 'the next run');
}

/** Waits until every schedule has fired what was due so far. */
async function caughtUp(): Promise<void> {
  const now = new Date();
  await until(async () => (await db.schedule.count({ where: { nextFireAt: { lte: now } } })) === 0, 'all that is due');
}

const isEnded = async (where: object): Promise<boolean> =>
  (await db.execution.count({
    where: { ...where, status: { notIn: ['success', 'failed', 'stopped', 'timeout'] } },
  })) === 0;

describe('schedules of every second, with three workers', () => {
  itInTime(
    'have one run for each second while the worker that fires is killed, and frozen, in the middle of it',
    async () => {
      const workers = await Promise.all([spawnApp('worker', env), spawnApp('worker', env), spawnApp('worker', env)]);
      const seeds: Seed[] = [];
      for (let i = 0; i < SCHEDULES; i += 1) seeds.push(await seedSchedule(stores, clock, { cron: '* * * * * *' }));
      await caughtUp();

      for (let round = 0; round < 2; round += 1) {
        const killed = await firingWorker(workers);
        await nextFiring();
        await killed.kill('SIGKILL');
        workers.splice(workers.indexOf(killed), 1, await spawnApp('worker', env));
        await caughtUp();
      }
      const frozen = await firingWorker(workers);
      await nextFiring();
      process.kill(frozen.pid, 'SIGSTOP');
      const others = workers.filter((worker) => worker !== frozen);
      await until(async () => others.includes(await firingWorker(workers)), 'another to fire');
      await caughtUp();
      process.kill(frozen.pid, 'SIGCONT');
      await nextFiring();
      await caughtUp();

      for (const seed of seeds) await setStatus(stores, clock, seed, 'inactive');
      const runs = await db.execution.findMany({
        where: { workflowId: { in: seeds.map(({ workflowId }) => workflowId) } },
      });
      const due = runs.map(({ workflowId, triggerData, createdAt }) => {
        const at = Date.parse(JSON.parse(triggerData ?? '').scheduledFor);
        return { workflowId, at, lateMs: createdAt.getTime() - at };
      });
      for (const { workflowId } of seeds) {
        const times = due.filter((run) => run.workflowId === workflowId).map(({ at }) => at);
        const [first = 0] = times.sort((a, b) => a - b);
        expect(times.length).toBeGreaterThan(5);
        expect(times).toEqual(times.map((_, second) => first + second * 1_000));
      }
      await until(() => isEnded({}), 'the end of all runs');
      expect(await db.execution.count({ where: { status: { not: 'success' } } })).toBe(0);
      for (const worker of workers) await worker.stop();
      expectWithin(promised('the worker that fires schedules dies'), Math.max(...due.map(({ lateMs }) => lateMs)));
    },
  );
});
