import { findUnindexedRuns, indexExecutions } from '@deckhand/db';
import type { PeriodicTask } from '../run-periodically.js';
import { createRowTask, type MaintenanceContext } from './maintenance-context.js';

/** Maximum number of runs, and of their bytes, per statement. */
const BATCH = 250;
const MAX_BATCH_BYTES = 16 * 1_048_576;
/** Time budget of a pass, in ms. Under load runs wait for it; until then they are searched without an index. */
const BUDGET_MS = 100;

/** Creates the task that adds finished runs to the search index. */
export function createIndexing(context: Pick<MaintenanceContext, 'db' | 'logger' | 'metrics'>): PeriodicTask {
  const { db } = context;
  return createRowTask(
    {
      name: 'index_runs',
      intervalMs: 1_000,
      work: {
        find: (page) => findUnindexedRuns(db, page),
        idOf: ({ id }) => id,
        bytesOf: ({ bytes }) => bytes,
        async act(runs) {
          await indexExecutions(
            db,
            runs.map(({ id }) => id),
          );
          return [];
        },
        maxRows: BATCH,
        maxBytes: MAX_BATCH_BYTES,
        budgetMs: BUDGET_MS,
      },
    },
    context,
  );
}
