import { foldStorageChanges } from '@deckhand/db';
import type { PeriodicTask } from '../run-periodically.ts';
import { type MaintenanceContext, TASK_TIME_LIMIT_MS } from './maintenance-context.ts';

/** Maximum number of changes per statement. */
const BATCH = 5_000;

/** Creates the task that adds recorded changes of stored bytes to the totals of workspaces. */
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
