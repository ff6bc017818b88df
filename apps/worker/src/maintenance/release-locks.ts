import {
  type Database,
  findFreeLocks,
  findLocksOf,
  findRunsWithChangedLocks,
  freeLock,
  type LockName,
  MAX_CHANGED_RUNS,
  settleLocks,
  wakeHolders,
} from '@deckhand/db';
import type { QueueProducer, Redis } from '@deckhand/queue';
import type { PeriodicTask } from '../run-periodically.ts';
import { sendAnswered } from './finish-children.ts';
import { TASK_TIME_LIMIT_MS } from './maintenance-context.ts';

/** Time budget of a pass, in ms. */
const BUDGET_MS = 500;
/** How often all locks are read, in ms. */
const SWEEP_INTERVAL_MS = 60_000;

/**
 * Creates the task that frees the locks of runs that others ended, or whose worker died at their end, and wakes runs
 * that got a lock before they rested.
 */
export function createLockRelease(parts: {
  readonly db: Database;
  readonly queue: Pick<QueueProducer, 'add'>;
  readonly redis: Redis;
}): PeriodicTask {
  const { db } = parts;
  let sweptAt = -Infinity;

  /** Gives locks to those who wait. @returns false if there was no time for all of them. */
  async function free(names: readonly LockName[], signal: AbortSignal): Promise<boolean> {
    for (const name of names) {
      if (signal.aborted) return false;
      await sendAnswered(parts, await freeLock(db, name));
    }
    return true;
  }

  return {
    name: 'release_locks',
    intervalMs: 1_000,
    timeLimitMs: TASK_TIME_LIMIT_MS,
    async run(signal) {
      const startedAt = performance.now();
      await sendAnswered(parts, await wakeHolders(db));
      for (;;) {
        const runs = await findRunsWithChangedLocks(db);
        if (runs.length === 0) break;
        const names = await findLocksOf(
          db,
          runs.map(({ executionId }) => executionId),
        );
        if (!(await free(names, signal))) return;
        await settleLocks(db, runs);
        if (runs.length < MAX_CHANGED_RUNS || performance.now() - startedAt >= BUDGET_MS) break;
      }
      if (performance.now() - sweptAt < SWEEP_INTERVAL_MS) return;
      const names = await findFreeLocks(db);
      await free(names, signal);
      if (names.length === 0) sweptAt = performance.now();
    },
  };
}
