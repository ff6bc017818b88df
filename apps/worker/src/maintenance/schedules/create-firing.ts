import {
  type Database,
  type DueSchedule,
  findDueSchedules,
  findNextCheck,
  holdSchedules,
  moveSchedules,
} from '@deckhand/db';
import type { Redis, QueueProducer } from '@deckhand/queue';
import type { Logger } from '@deckhand/runtime';
import { setTimeout as sleep } from 'node:timers/promises';
import { createStartLimits } from '../../start-limits.ts';
import { createAlarm } from '../alarm.ts';
import { fireSchedules } from './fire-schedules.ts';

/** Maximum duration of a firing before the next one starts beside it, in ms. */
export const FIRING_LIMIT_MS = 10_000;

/** What firing needs. */
export interface FiringOptions {
  readonly db: Database;
  readonly redis: Redis;
  readonly queue: QueueProducer;
  readonly logger: Logger;
  /** Whether this worker holds the maintenance lease. */
  readonly hasLease: () => Promise<boolean>;
  /** Called for each run that was started, with its delay after the due time, in seconds. */
  readonly onStarted: (lateSeconds: number) => void;
  /** Called for runs that were stopped for a started one. */
  readonly onStopped: (executionIds: readonly string[]) => Promise<void>;
  /** Called for a schedule that could not be fired and is delayed. */
  readonly onBadRow: (schedule: DueSchedule, error: unknown) => void;
  /** The database's time, in ms since the epoch. */
  readonly now: () => number;
}

/** Fires the schedules of the instance. */
export interface Firing {
  /** Fires the schedules that are due. If called during a firing, it checks again after it. */
  fire(): Promise<void>;
  close(): void;
}

/** Creates the firing of schedules. In addition to the calls of its periodic task, it fires at the next due time. */
export function createFiring({
  db,
  redis,
  queue,
  logger,
  hasLease,
  onStarted,
  onStopped,
  onBadRow,
  now,
}: FiringOptions): Firing {
  const limits = createStartLimits({ redis, logger });
  const parts = {
    hasLease,
    findDue: (at: Date, limit: number) => findDueSchedules(db, at, limit),
    findNextCheck: () => findNextCheck(db),
    move: (moves: Parameters<typeof moveSchedules>[1]) => moveSchedules(db, moves, limits),
    hold: (holds: Parameters<typeof holdSchedules>[1]) => holdSchedules(db, holds),
    onStarted,
    onStopped,
    onBadRow,
    addJobs: (runs: Parameters<QueueProducer['add']>[0]) => queue.add(runs),
    logger,
    now,
  };
  const alarm = createAlarm(() => {
    fire().catch((err: unknown) => logger.warn({ err }, 'schedules could not be fired yet'));
  }, now);
  let last: Promise<void> = Promise.resolve();

  /** A firing that hangs delays the next one by the maximum duration only: two at the same time fire nothing twice. */
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
    // A due schedule that could not be fired is left to the next pass.
    if (next !== null && next > now()) alarm.set(next);
  }

  return {
    fire,
    close: () => {
      alarm.close();
    },
  };
}
