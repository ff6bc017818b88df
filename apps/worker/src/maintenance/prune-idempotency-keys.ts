import { pruneIdempotencyKeys, pruneRequests } from '@deckhand/db';
import type { PeriodicTask } from '../run-periodically.js';
import { type MaintenanceContext, TASK_TIME_LIMIT_MS } from './maintenance-context.js';

/** Keys deleted by one pass at most. */
const BATCH = 5_000;

/** Deletes idempotency keys that stand for nothing any more. */
export function createKeyPruning({ db }: Pick<MaintenanceContext, 'db'>): PeriodicTask {
  return {
    name: 'prune_idempotency_keys',
    intervalMs: 1_000,
    timeLimitMs: TASK_TIME_LIMIT_MS,
    async run() {
      await pruneIdempotencyKeys(db, BATCH);
      await pruneRequests(db, BATCH);
    },
  };
}
