import { type ErrorStartResult, findDueErrorStarts, startErrorWorkflows } from '@deckhand/db';
import { announceStarts, type StartedRun } from '../announce-runs.ts';
import type { PeriodicTask } from '../run-periodically.ts';
import { createStartLimits } from '../start-limits.ts';
import { createRowTask, type MaintenanceContext } from './maintenance-context.ts';

/** Maximum number of failed runs per transaction. */
const BATCH = 100;

/**
 * Creates the task that starts error workflows. If the process dies after a transaction and before the jobs are added,
 * the new runs are found as runs without jobs.
 */
export function createErrorWorkflowStarting(context: MaintenanceContext): PeriodicTask {
  const { db, logger } = context;
  const limits = createStartLimits(context);

  async function announce(results: readonly ErrorStartResult[]): Promise<void> {
    const started: StartedRun[] = [];
    for (const { failedId, workspaceId, errorWorkflowId, result } of results) {
      if ('executionId' in result) started.push({ workspaceId, executionId: result.executionId, dispatch: 1 });
      else {
        const { code } = result;
        logger.warn({ executionId: failedId, errorWorkflowId, code }, 'failed to start an error workflow');
      }
    }
    await announceStarts(context, 'error', started);
  }

  return createRowTask(
    {
      name: 'start_error_workflows',
      intervalMs: 1_000,
      work: {
        find: (page) => findDueErrorStarts(db, page),
        idOf: ({ executionId }) => executionId,
        async act(due) {
          await startErrorWorkflows(db, due, limits, announce);
          return [];
        },
        maxRows: BATCH,
        budgetMs: 500,
      },
    },
    context,
  );
}
