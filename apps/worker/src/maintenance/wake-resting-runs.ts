import { findDueRuns, wakeDueRuns } from '@deckhand/db';
import type { PeriodicTask } from '../run-periodically.ts';
import { createRowTask, type MaintenanceContext } from './maintenance-context.ts';

/** Maximum number of runs per statement. */
const BATCH = 1_000;

/** Creates the task that dispatches resting runs when their next wait is due. */
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
