import { type Database, findDueSchedules, findNextLook, holdSchedules, moveSchedules } from '@deckhand/db';
import { createExecutionCounter, type Redis, type RunQueue } from '@deckhand/queue';
import type { Logger } from '@deckhand/runtime';
import { createAlarm } from '../alarm.js';
import { fireSchedules } from './fire-schedules.js';

/** What firing works with. */
export interface FiringOptions {
  readonly db: Database;
  readonly redis: Redis;
  readonly queue: RunQueue;
  readonly logger: Logger;
  readonly holdLease: () => Promise<boolean>;
  /** Told of each run that was started, and how long after its time, in seconds. */
  readonly onStarted: (lateSeconds: number) => void;
  /** Ms since the epoch; the process's clock unless a test gives another. */
  readonly now?: () => number;
}

/** Fires a fleet's schedules, in turn with the other workers. */
export interface Firing {
  /** Fires what is due now. Called again while it does, it looks once more afterwards. */
  fire(): Promise<void>;
  close(): void;
}

/** Puts firing together: besides being called every now and then, it wakes up by itself at the next time that is due. */
export function createFiring({
  db,
  redis,
  queue,
  logger,
  holdLease,
  onStarted,
  now = Date.now,
}: FiringOptions): Firing {
  const countExecution = createExecutionCounter(redis);
  const parts = {
    holdLease,
    findDue: (at: Date, limit: number) => findDueSchedules(db, at, limit),
    findNextLook: () => findNextLook(db),
    move: (moves: Parameters<typeof moveSchedules>[1]) => moveSchedules(db, moves),
    hold: (holds: Parameters<typeof holdSchedules>[1]) => holdSchedules(db, holds),
    countExecution,
    onStarted,
    addJobs: (runs: Parameters<RunQueue['add']>[0]) => queue.add(runs),
    logger,
    now,
  };
  const alarm = createAlarm(() => {
    fire().catch((err: unknown) => logger.warn({ err }, 'schedules could not be fired yet'));
  }, now);
  let last: Promise<void> = Promise.resolve();

  function fire(): Promise<void> {
    last = last.catch(() => undefined).then(fireOnce);
    return last;
  }

  async function fireOnce(): Promise<void> {
    const next = await fireSchedules(parts);
    // One that is due and could not be fired has its turn in the next look.
    if (next !== null && next > now()) alarm.set(next);
  }

  return {
    fire,
    close: () => {
      alarm.close();
    },
  };
}
