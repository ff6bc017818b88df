import {
  deleteRestOfWorkspaces,
  deleteRunsOfDeletedWorkspaces,
  findRunsOfDeletedWorkspaces,
  isStoreUnavailable,
} from '@deckhand/db';
import { publishControl } from '@deckhand/queue';
import type { PeriodicTask } from '../run-periodically.ts';
import { createBadRows } from './bad-rows.ts';
import { type MaintenanceContext, TASK_TIME_LIMIT_MS } from './maintenance-context.ts';
import { processRows } from './process-rows.ts';

const NAME = 'delete_workspaces';
/** Maximum number of runs, and of their bytes, per statement: low, so that no statement holds its locks for long. */
const BATCH = 200;
const MAX_BATCH_BYTES = 64 * 1_048_576;
/** Maximum number of rows other than runs that one statement deletes. */
const REST_BATCH = 1_000;
/** Time budget of a pass, in ms. A large workspace takes many passes. */
const BUDGET_MS = 200;

/**
 * Creates the task that deletes the runs and all other data of deleted workspaces. If a worker dies, the next pass
 * continues.
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
            logger.info({ runs: deleted.length }, 'deleted runs of deleted workspaces');
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
