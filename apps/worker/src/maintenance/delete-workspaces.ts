import {
  deleteRestOfWorkspaces,
  deleteRunsOfDeletedWorkspaces,
  findRunsOfDeletedWorkspaces,
  isStoreUnavailable,
} from '@deckhand/db';
import { publishControl } from '@deckhand/queue';
import type { PeriodicTask } from '../run-periodically.js';
import { createBadRows } from './bad-rows.js';
import { type MaintenanceContext, TASK_TIME_LIMIT_MS } from './maintenance-context.js';
import { processRows } from './process-rows.js';

const NAME = 'delete_workspaces';
/** Runs of one statement at most, and the bytes that it deletes at most: few, so that none holds its locks for long. */
const BATCH = 200;
const MAX_BATCH_BYTES = 64 * 1_048_576;
/** Rows of what is left beside the runs, deleted by one statement at most. */
const REST_BATCH = 1_000;
/** How long a pass goes on, in ms: a large workspace takes many. */
const BUDGET_MS = 200;

/**
 * Deletes the runs of deleted workspaces with all that belongs to them. What a worker that dies leaves, the next pass
 * finds.
 */
export function createWorkspaceDeletion({
  db,
  redis,
  logger,
  metrics,
}: Pick<MaintenanceContext, 'db' | 'redis' | 'logger' | 'metrics'>): PeriodicTask {
  const badRows = createBadRows({ task: NAME, logger, onAdded: () => metrics.badRow(NAME) });
  return {
    name: NAME,
    intervalMs: 1_000,
    timeLimitMs: TASK_TIME_LIMIT_MS,
    async run(signal) {
      await processRows(
        {
          find: (page) => findRunsOfDeletedWorkspaces(db, page),
          idOf: ({ id }) => id,
          bytesOf: ({ bytes }) => bytes,
          act: (runs) =>
            deleteRunsOfDeletedWorkspaces(
              db,
              runs.map(({ id }) => id),
            ),
          async onDone(deleted) {
            metrics.acted('deleted_run', deleted.length);
            logger.info({ runs: deleted.length }, 'deleted runs of workspaces that were deleted');
            const held = deleted.filter(({ workerId }) => workerId !== null).map(({ executionId }) => executionId);
            if (held.length > 0) await publishControl(redis, { type: 'stop', executionIds: held });
          },
          maxRows: BATCH,
          maxBytes: MAX_BATCH_BYTES,
          budgetMs: BUDGET_MS,
        },
        { badRows, signal, isUnavailable: isStoreUnavailable },
      );
      await deleteRestOfWorkspaces(db, REST_BATCH);
    },
  };
}
