import {
  type Database,
  findFreeLocks,
  freeLock,
  freeLocksOf,
  releaseLock,
  requestLock,
  wakeHolders,
} from '@deckhand/db';
import type { RunLocks } from '@deckhand/engine';
import type { QueueProducer, Redis } from '@deckhand/queue';
import type { PeriodicTask } from '../run-periodically.js';
import { sendAnswered } from './finish-children.js';
import { TASK_TIME_LIMIT_MS } from './maintenance-context.js';

/** What locks need. */
interface LockParts {
  readonly db: Database;
  readonly queue: Pick<QueueProducer, 'add'>;
  readonly redis: Redis;
  /** Repeats a write while the database is unavailable. */
  readonly retry: <T>(what: string, act: () => Promise<T>) => Promise<T>;
}

/** Creates the locks of nodes. A notification that is lost is made up for by the task. */
export function createRunLocks(parts: LockParts): RunLocks {
  const { db, retry } = parts;
  const notify = (woken: Parameters<typeof sendAnswered>[1]): Promise<void> =>
    sendAnswered(parts, woken).catch(() => undefined);
  return {
    async acquire(request) {
      const { verdict, woken } = await retry('lock', () => requestLock(db, request));
      await notify(woken);
      return verdict;
    },
    async release({ executionId, ...name }) {
      await notify(await retry('lock', () => releaseLock(db, executionId, name)));
    },
  };
}

/** Gives the locks of a run that has ended to the next. If this fails, the task makes up for it. */
export async function freeLocks(parts: Omit<LockParts, 'retry'>, executionId: string): Promise<void> {
  await sendAnswered(parts, await freeLocksOf(parts.db, executionId));
}

/**
 * Creates the task that frees the locks of runs that others ended, or whose worker died at their end, and wakes runs
 * that got a lock before they rested.
 */
export function createLockRelease(parts: Omit<LockParts, 'retry'>): PeriodicTask {
  return {
    name: 'release_locks',
    intervalMs: 1_000,
    timeLimitMs: TASK_TIME_LIMIT_MS,
    async run(signal) {
      await sendAnswered(parts, await wakeHolders(parts.db));
      for (const name of await findFreeLocks(parts.db)) {
        if (signal.aborted) return;
        await sendAnswered(parts, await freeLock(parts.db, name));
      }
    },
  };
}
