/**
 * A process that does what so many idle workers do beside running runs: node simulated-workers.js <database> <redis>
 * <workers>. Each has its own connections to Redis; those to PostgreSQL are shared.
 */
import { randomUUID } from 'node:crypto';
import { createDatabase, readDatabaseTime } from '@deckhand/db';
import { createInputChecker, createSchemaChecker } from '@deckhand/nodes';
import {
  connectRedis,
  createRunQueue,
  createWakeUps,
  heartbeatIntervalMs,
  openRunConsumer,
  type WorkerDescription,
  writeHeartbeat,
} from '@deckhand/queue';
import { createLogger } from '@deckhand/runtime';
import {
  consumeJobs,
  createActiveRuns,
  createDatabaseClock,
  createFleetRoles,
  createHeldBackRuns,
  createKeyRelease,
  startMaintenance,
} from '@deckhand/worker';

const [databaseUrl = '', redisUrl = '', count = '1'] = process.argv.slice(2);
const ignore = (): void => undefined;

const db = createDatabase({ url: databaseUrl, poolSize: 3 });
const logger = createLogger({ name: 'worker', level: 'fatal' });

async function startIdleWorker(): Promise<void> {
  const id = randomUUID();
  const [redis, beats] = [connectRedis(redisUrl, { role: 'producer' }), connectRedis(redisUrl, { role: 'producer' })];
  for (const connection of [redis, beats]) connection.on('error', ignore);
  const queue = createRunQueue(redis, { takingWorkers: () => 1 });
  const clock = createDatabaseClock(() => readDatabaseTime(db));
  await clock.measure();
  const { lease, standby } = createFleetRoles(
    { workerId: id, redis, clockOffsetMs: clock.offsetMs },
    { wakeUps: createWakeUps(redis, { redisUrl, onError: ignore }), isBusy: () => false },
  );
  consumeJobs({
    consumer: await openRunConsumer({ redisUrl, workerId: id, queue, onError: ignore }),
    standby,
    logger,
    room: () => 100,
    untilRoom: () => Promise.resolve(),
    start: () => Promise.reject(new Error('a simulated worker runs nothing')),
  });
  startMaintenance(
    {
      db,
      redis,
      queue,
      checkInput: createInputChecker(createSchemaChecker()),
      logger,
      metrics: {
        begin: ignore,
        passed: ignore,
        failed: ignore,
        acted: ignore,
        badRow: ignore,
        searchBacklog: ignore,
        retentionBacklog: ignore,
        bulkActed: ignore,
        scheduleFired: ignore,
      },
      runs: { accepted: ignore, finished: ignore },
    },
    {
      workerId: id,
      active: createActiveRuns(),
      clock,
      lease,
      heldBack: createHeldBackRuns({ db, queue, onReleased: ignore }),
      keyRelease: createKeyRelease({ db, queue, onReleased: ignore }),
      mayReach: () => Promise.resolve(false),
      outputs: {
        put: () => Promise.reject(new Error('a simulated worker has no outputs')),
        get: () => Promise.resolve(new Map()),
        sweep: () => Promise.resolve(0),
        close: ignore,
      },
      files: {
        read: () => {
          throw new Error('a simulated worker has no files');
        },
        sweep: () => Promise.resolve(0),
      },
      events: {
        deliverer: { poll: () => Promise.resolve(), stop: () => Promise.resolve() },
        metrics: { attempted: ignore, disabled: ignore, backlog: ignore },
      },
    },
  );
  const startedAt = new Date().toISOString();
  function beat(): void {
    const worker: WorkerDescription = {
      id,
      host: 'simulated',
      pid: process.pid,
      version: '0.0.0',
      state: 'consuming',
      concurrency: 100,
      active: 0,
      startedAt,
      blockedMs: 0,
      occupiedBy: null,
      isStandby: standby.isStandingBy(),
    };
    writeHeartbeat(beats, worker)
      .then(({ isDeputyMissing }) => isDeputyMissing && lease.deputyIsMissing())
      .catch(ignore);
    setTimeout(beat, heartbeatIntervalMs(worker));
  }
  beat();
}

for (let n = 0; n < Number(count); n += 1) await startIdleWorker();
