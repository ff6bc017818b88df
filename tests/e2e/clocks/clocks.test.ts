import { createDatabase, type Database } from '@deckhand/db';
import { ensureFaketime, faketimeEnv, type LocalRedis } from '@deckhand/local';
import {
  connectRedis,
  createRunQueue,
  MAINTENANCE_LEASE_KEY,
  readFleet,
  type Redis,
  type RunQueue,
} from '@deckhand/queue';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  addKey,
  chain,
  createTestDatabase,
  describeUnless,
  NEVER_MS,
  scheduleDefinition,
  type Seed,
  seedSchedule,
  seedWorkflow,
  setStatus,
  spawnApp,
  startReceiver,
  startTestRedis,
  stopAll,
  stopLater,
  type Stores,
  type TestApp,
  until,
} from '../../harness/index.ts';

const DAY_SECONDS = 86_400;

const CLOCKS = [
  ['a day ahead', DAY_SECONDS],
  ['a day behind', -DAY_SECONDS],
] as const;

const faketime = await ensureFaketime((line) => process.stdout.write(`${line}\n`));

let env: Record<string, string>;
let db: Database;
let stores: Stores;
let server: LocalRedis;
let redis: Redis;
let queue: RunQueue;
/** The current time, as the activation of schedules reads it. */
const clock = {
  get now() {
    return Date.now();
  },
};

beforeAll(async () => {
  const database = await createTestDatabase();
  server = await startTestRedis();
  env = { DATABASE_URL: database.url, REDIS_URL: server.url };
  db = createDatabase({ url: database.url, poolSize: 4 });
  stopLater({ stop: () => db.$disconnect() });
  stores = { databaseUrl: database.url, db, redis: server };
  redis = connectRedis(server.url, { role: 'producer' });
  redis.on('error', () => undefined);
  await until(() => redis.status === 'ready');
  queue = createRunQueue(redis);
  stopLater({
    async stop() {
      await queue.close();
      redis.disconnect();
    },
  });
});
afterAll(stopAll);

const spawnAt = (offsetSeconds: number, app: 'api' | 'worker' = 'worker'): Promise<TestApp> =>
  spawnApp(app, {
    ...env,
    ...(faketime.kind === 'found' ? faketimeEnv(faketime.path, offsetSeconds) : {}),
  });

/** The process that holds the lease. */
async function leaseHolder(): Promise<number | undefined> {
  const owner = (await redis.get(MAINTENANCE_LEASE_KEY))?.replace(/~$/, '');
  return (await readFleet(redis)).find(({ id }) => id === owner)?.pid;
}

async function start(seed: Seed): Promise<string> {
  const executionId = await seed.accept();
  await queue.add([{ workspaceId: seed.workspaceId, executionId, dispatch: 1 }]);
  return executionId;
}

const read = (id: string) => db.execution.findUniqueOrThrow({ where: { id } });
const ended = (id: string) =>
  until(async () => {
    const run = await read(id);
    return run.finishedAt && run;
  }, `the end of ${id}`);

describeUnless(faketime.kind === 'missing' ? faketime.reason : undefined)('with clocks that are wrong', () => {
  describe.each(CLOCKS)('a worker that is %s', (_name, offsetSeconds) => {
    let wrong: TestApp;

    beforeAll(async () => {
      wrong = await spawnAt(offsetSeconds);
    });
    afterAll(async () => {
      await wrong.stop();
    });
    beforeEach(async () => {
      await until(async () => (await leaseHolder()) === wrong.pid, 'the lease, which nobody else takes');
    });

    it('fires each time of a schedule once, none early and none late', async () => {
      const seed = await seedSchedule(stores, clock, { cron: '* * * * * *' });
      const fired = () => db.execution.findMany({ where: { workflowId: seed.workflowId }, orderBy: { id: 'asc' } });
      await until(async () => (await fired()).length >= 4, 'four firings');
      await setStatus(stores, clock, seed, 'inactive');
      const late = (await fired()).map(
        ({ triggerData, createdAt }) => createdAt.getTime() - Date.parse(JSON.parse(triggerData ?? '').scheduledFor),
      );
      expect(Math.min(...late)).toBeGreaterThanOrEqual(0);
      expect(Math.max(...late)).toBeLessThan(60_000);
      const times = (await fired()).map(({ triggerData }) => Date.parse(JSON.parse(triggerData ?? '').scheduledFor));
      const [first = 0] = times.sort((a, b) => a - b);
      expect(times).toEqual(times.map((_, second) => first + second * 1_000));
    });

    it('ends a wait at its time, and times nothing out', async () => {
      const seed = await seedWorkflow(
        db,
        chain(
          { id: 'rest', type: 'wait', parameters: { seconds: 2 } },
          { id: 'after', type: 'set', parameters: { fields: { ok: true } } },
        ),
      );
      const run = await ended(await start(seed));
      expect(run.status).toBe('success');
      const tookMs = (run.finishedAt?.getTime() ?? 0) - run.createdAt.getTime();
      expect(tookMs).toBeGreaterThanOrEqual(2_000);
      expect(tookMs).toBeLessThan(60_000);
    });

    it('halts a run at its deadline, neither before nor a day after', async () => {
      const receiver = await startReceiver(() => NEVER_MS);
      const seed = await seedWorkflow(db, {
        ...chain({ id: 'call', type: 'http', parameters: { url: receiver.url } }),
        settings: { timeoutSeconds: 3 },
      });
      const run = await ended(await start(seed));
      expect(run.status).toBe('timeout');
      expect((run.finishedAt?.getTime() ?? 0) - run.deadlineAt.getTime()).toBeGreaterThanOrEqual(0);
    });

    it('yields the lease to one whose clock is right, and does not get it back', async () => {
      const right = await spawnAt(0);
      await until(async () => (await leaseHolder()) === right.pid, 'the lease at the right one');
      await right.stop();
      await until(async () => (await leaseHolder()) === wrong.pid, 'the lease back, after nobody took it');
    });
  });

  describe.each(CLOCKS)('an API that is %s', (_name, offsetSeconds) => {
    it('gives a schedule its first time by the database, so that it fires within its next minute', async () => {
      const api = await spawnAt(offsetSeconds, 'api');
      const seed = await seedWorkflow(db, scheduleDefinition({ cron: '* * * * *' }));
      const { key } = await addKey(stores, seed.userId);
      const before = Date.now();
      const response = await fetch(`${api.url}/api/workflows/${seed.workflowId}`, {
        method: 'PATCH',
        headers: { 'x-api-key': key, 'content-type': 'application/json' },
        body: JSON.stringify({ status: 'active' }),
      });
      const { nextFireAt } = await db.schedule.findFirstOrThrow({ where: { workflowId: seed.workflowId } });
      expect(response.status).toBe(200);
      expect(nextFireAt?.getTime()).toBeGreaterThan(before);
      expect(nextFireAt?.getTime()).toBeLessThanOrEqual(Date.now() + 60_000);
      await api.stop();
    });
  });
});
