import { findDueRuns, wakeDueRuns } from '@deckhand/db';
import type { PeriodicTask } from '../run-periodically.js';
import { createRowTask, type MaintenanceContext } from './maintenance-context.js';

/** Runs woken by one statement at most. */
const BATCH = 1_000;

/** Dispatches resting runs whose time has come. */
export function createWaking(context: MaintenanceContext): PeriodicTask {
  const { db, queue, metrics } = context;
  return createRowTask(
    {
      name: 'wake_resting_runs',
      intervalMs: 1_000,
      work: {
        find: (page) => findDueRuns(db, page),
        idOf: (id) => id,
        act: (ids) => wakeDueRuns(db, ids),
        async onDone(runs) {
          metrics.acted('wake', runs.length);
          await queue.add(runs);
        },
        maxRows: BATCH,
        budgetMs: 5_000,
      },
    },
    context,
  );
}
