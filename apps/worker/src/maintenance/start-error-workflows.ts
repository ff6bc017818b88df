import { type ErrorStartResult, findDueErrorStarts, startErrorWorkflows } from '@deckhand/db';
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
  const { db, queue, logger, runs } = context;
  const limits = createStartLimits(context);

  async function announce(results: readonly ErrorStartResult[]): Promise<void> {
    const jobs = [];
    for (const { failedId, workspaceId, errorWorkflowId, result } of results) {
      if ('code' in result) {
        const { code } = result;
        logger.warn({ executionId: failedId, errorWorkflowId, code }, 'failed to start an error workflow');
        continue;
      }
      runs.accepted('error');
      jobs.push({ workspaceId, executionId: result.executionId, dispatch: 1 });
    }
    await queue.add(jobs);
  }

  return createRowTask(
    {
      name: 'start_error_workflows',
      intervalMs: 1_000,
      work: {
        find: (page) => findDueErrorStarts(db, page),
        idOf: ({ executionId }) => executionId,
        act: (due) => startErrorWorkflows(db, due, limits),
        onDone: announce,
        maxRows: BATCH,
        budgetMs: 500,
      },
    },
    context,
  );
}
