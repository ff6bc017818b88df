import { findUnindexedRuns, indexExecutions } from '@deckhand/db';
import type { PeriodicTask } from '../run-periodically.js';
import { createRowTask, type MaintenanceContext } from './maintenance-context.js';

/** Runs made searchable by one statement at most, and the bytes of theirs that it reads at most. */
const BATCH = 250;
const MAX_BATCH_BYTES = 16 * 1_048_576;
/** How long a pass goes on making runs searchable, in ms: under load they wait, and are searched without an index. */
const BUDGET_MS = 100;

/** Makes finished runs searchable by index. */
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
