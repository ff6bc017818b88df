import { pruneDebounces, pruneIdempotencyKeys, pruneRequests } from '@deckhand/db';
import type { PeriodicTask } from '../run-periodically.ts';
import { type MaintenanceContext, TASK_TIME_LIMIT_MS } from './maintenance-context.ts';

/** Maximum number of keys deleted per pass. */
const BATCH = 5_000;

/** Creates the task that deletes idempotency keys, and keys of debounced starts, that are no longer needed. */
export function createKeyPruning({ db }: Pick<MaintenanceContext, 'db'>): PeriodicTask {
  return {
    name: 'prune_idempotency_keys',
    intervalMs: 1_000,
    timeLimitMs: TASK_TIME_LIMIT_MS,
    async run() {
      await pruneIdempotencyKeys(db, BATCH);
      await pruneRequests(db, BATCH);
      await pruneDebounces(db, BATCH);
    },
  };
}
