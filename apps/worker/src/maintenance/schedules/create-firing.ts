import {
  type Database,
  type DueSchedule,
  findDueSchedules,
  findNextCheck,
  holdSchedules,
  moveSchedules,
} from '@deckhand/db';
import { createExecutionCounter, type Redis, type RunQueue } from '@deckhand/queue';
import type { Logger } from '@deckhand/runtime';
import { setTimeout as sleep } from 'node:timers/promises';
import { createAlarm } from '../alarm.js';
import { fireSchedules } from './fire-schedules.js';

/** How long one firing may take before the next begins all the same, in ms. */
export const FIRING_LIMIT_MS = 10_000;

/** What firing works with. */
export interface FiringOptions {
  readonly db: Database;
  readonly redis: Redis;
  readonly queue: RunQueue;
  readonly logger: Logger;
  /** Whether this worker is the one to fire. */
  readonly hasLease: () => Promise<boolean>;
  /** Told of each run that was started, and how long after its time, in seconds. */
  readonly onStarted: (lateSeconds: number) => void;
  /** Notified of a schedule that could not be fired and is held back for a while. */
  readonly onBadRow: (schedule: DueSchedule, error: unknown) => void;
  /** The database's time, in ms since the epoch. */
  readonly now: () => number;
}

/** Fires a fleet's schedules, in turn with the other workers. */
export interface Firing {
  /** Fires what is due now. Called again while it does, it looks once more afterwards. */
  fire(): Promise<void>;
  close(): void;
}

/**
 * Puts firing together: besides being called every now and then, it wakes up by itself at the next time that is due.
 */
export function createFiring({ db, redis, queue, logger, hasLease, onStarted, onBadRow, now }: FiringOptions): Firing {
  const countExecution = createExecutionCounter(redis);
  const parts = {
    hasLease,
    findDue: (at: Date, limit: number) => findDueSchedules(db, at, limit),
    findNextCheck: () => findNextCheck(db),
    move: (moves: Parameters<typeof moveSchedules>[1]) => moveSchedules(db, moves),
    hold: (holds: Parameters<typeof holdSchedules>[1]) => holdSchedules(db, holds),
    countExecution,
    onStarted,
    onBadRow,
    addJobs: (runs: Parameters<RunQueue['add']>[0]) => queue.add(runs),
    logger,
    now,
  };
  const alarm = createAlarm(() => {
    fire().catch((err: unknown) => logger.warn({ err }, 'schedules could not be fired yet'));
  }, now);
  let last: Promise<void> = Promise.resolve();

  /** One that hangs is not waited for for longer than a pass may take: two at once fire nothing twice. */
  function fire(): Promise<void> {
    const before = last.catch(() => undefined);
    const waited = new AbortController();
    const patience = sleep(FIRING_LIMIT_MS, undefined, { signal: waited.signal }).catch(() => undefined);
    last = Promise.race([before, patience]).then(() => {
      waited.abort();
      return fireOnce();
    });
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
