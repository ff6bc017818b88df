import { foldStorageChanges } from '@deckhand/db';
import type { PeriodicTask } from '../run-periodically.js';
import { type MaintenanceContext, TASK_TIME_LIMIT_MS } from './maintenance-context.js';

/** Changes of stored bytes folded by one statement at most. */
const BATCH = 5_000;

/** Adds what was written since to the stored bytes of workspaces. */
export function createStorageCounting({ db }: Pick<MaintenanceContext, 'db'>): PeriodicTask {
  return {
    name: 'count_storage',
    intervalMs: 1_000,
    timeLimitMs: TASK_TIME_LIMIT_MS,
    async run(signal) {
      while (!signal.aborted && (await foldStorageChanges(db, BATCH)) === BATCH);
    },
  };
}
