import type { Definition, JsonObject } from '@deckhand/contracts';
import { createDatabase, updateWorkflow } from '@deckhand/db';
import { nextDueTime } from '@deckhand/nodes';
import { claimLease, connectRedis, createRunQueue, MAINTENANCE_LEASE_KEY, type RunQueue } from '@deckhand/queue';
import { createLogger, createRunCounters } from '@deckhand/runtime';
import { createFiring, type Firing } from '@deckhand/worker';
import { Registry } from 'prom-client';
import { v7 as uuidv7 } from 'uuid';
import { stopLater } from './cleanup.ts';
import type { Stores } from './gateway.ts';
import { type Seed, seedWorkflow } from './seed.ts';
import { until } from './until.ts';
import { UNCOUNTED } from './start-limits.ts';

/** A clock that stands still until it is set. Ms since the epoch. */
export interface TestClock {
  now: number;
}

export interface FiringSetup {
  readonly clock: TestClock;
  /** False for one that fires without the lease: then only the database prevents firing twice. */
  readonly isLeased?: boolean;
  /** Takes the place of its queue, to watch or break it. */
  readonly watchQueue?: (queue: RunQueue) => RunQueue;
}

/** What fires schedules in a worker, with connections of its own and the test's clock. */
export async function startFiring(
  stores: Stores,
  { clock, isLeased = true, watchQueue = (queue) => queue }: FiringSetup,
): Promise<Firing> {
  const id = uuidv7();
  const db = createDatabase({ url: stores.databaseUrl, poolSize: 2 });
  const redis = connectRedis(stores.redis.url, { role: 'producer' });
  redis.on('error', () => undefined);
  await until(() => redis.status === 'ready');
  const queue = createRunQueue(redis);
  const firing = createFiring({
    db,
    redis,
    queue: watchQueue(queue),
    checkInput: UNCOUNTED.checkInput,
    logger: createLogger({ name: 'firing', level: 'silent' }),
    hasLease: isLeased
      ? async () =>
          (await claimLease(redis, MAINTENANCE_LEASE_KEY, { owner: id, durationMs: 1_000, claim: 'eager' })) === 'held'
      : () => Promise.resolve(true),
    runs: createRunCounters(new Registry()),
    onStarted: () => undefined,
    onBadRow: () => undefined,
    now: () => clock.now,
  });
  stopLater({
    async stop() {
      firing.close();
      await queue.close();
      redis.disconnect();
      await db.$disconnect();
    },
  });
  return firing;
}

/** A definition that is one schedule trigger called `clock`, and a node behind it. */
export function scheduleDefinition(parameters: JsonObject): Definition {
  return {
    nodes: [
      { id: 'clock', type: 'trigger.schedule', parameters },
      { id: 'note', type: 'set', parameters: { fields: { due: '{{ $trigger.scheduledFor }}' } } },
    ],
    edges: [{ source: 'clock', target: 'note' }],
  };
}

/** A workflow with a schedule, active since the time on the clock. */
export async function seedSchedule({ db }: Stores, clock: TestClock, parameters: JsonObject): Promise<Seed> {
  const seed = await seedWorkflow(db, scheduleDefinition(parameters));
  await setStatus({ db }, clock, seed, 'active');
  return seed;
}

/** Activates or deactivates a workflow at the time on the clock. */
export async function setStatus(
  { db }: Pick<Stores, 'db'>,
  clock: TestClock,
  { userId, workflowId }: Seed,
  status: 'active' | 'inactive',
): Promise<void> {
  const actor = { userId, boundTo: null };
  await updateWorkflow(db, actor, workflowId, { status }, (rule) => new Date(nextDueTime(rule, clock.now)));
}

/** The times that a workflow's runs were due at, one a run, the earliest first: such as 2026-03-29T01:30Z. */
export async function firedTimes({ db }: Pick<Stores, 'db'>, { workflowId }: Seed): Promise<string[]> {
  const runs = await db.execution.findMany({
    where: { workflowId, source: 'schedule' },
    select: { triggerData: true },
  });
  return runs
    .map(({ triggerData }) => String(JSON.parse(triggerData ?? '{}').scheduledFor))
    .sort()
    .map((time) => time.replace(/(:00)?\.000Z$/, 'Z'));
}
