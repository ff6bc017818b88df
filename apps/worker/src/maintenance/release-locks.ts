import { type Database, findFreeLocks, freeLock, wakeHolders } from '@deckhand/db';
import type { QueueProducer, Redis } from '@deckhand/queue';
import type { PeriodicTask } from '../run-periodically.js';
import { sendAnswered } from './finish-children.js';
import { TASK_TIME_LIMIT_MS } from './maintenance-context.js';

/**
 * Creates the task that frees the locks of runs that others ended, or whose worker died at their end, and wakes runs
 * that got a lock before they rested.
 */
export function createLockRelease(parts: {
  readonly db: Database;
  readonly queue: Pick<QueueProducer, 'add'>;
  readonly redis: Redis;
}): PeriodicTask {
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
