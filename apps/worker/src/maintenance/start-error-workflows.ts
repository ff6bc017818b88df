import {
  type CountedErrorStart,
  delayErrorStarts,
  type DueErrorStart,
  type ErrorStartResult,
  findDueErrorStarts,
  startErrorWorkflows,
} from '@deckhand/db';
import { createExecutionCounter } from '@deckhand/queue';
import type { PeriodicTask } from '../run-periodically.ts';
import { createRowTask, type MaintenanceContext } from './maintenance-context.ts';
import { createWorkflowKeys } from './workflow-keys.ts';

/** Maximum number of failed runs per transaction. */
const BATCH = 100;

/**
 * Creates the task that starts error workflows. If the process dies after a transaction and before the jobs are added,
 * the new runs are found as runs without jobs.
 */
export function createErrorWorkflowStarting(context: MaintenanceContext): PeriodicTask {
  const { db, redis, queue, logger, runs } = context;
  const countExecution = createExecutionCounter(redis);
  const addKey = createWorkflowKeys();

  /** Asks the limits of runs per minute. Starts beyond one are delayed until its window ends, or given up if late. */
  async function count(due: readonly DueErrorStart[]): Promise<CountedErrorStart[]> {
    const counted: CountedErrorStart[] = [];
    const blockedUntil = new Map<string, number>();
    const delayed = new Map<string, string[]>();
    for (const { executionId, workspaceId, executionsPerMinute: limit, isLate } of due) {
      let seconds = blockedUntil.get(workspaceId) ?? null;
      if (limit !== null && seconds === null) seconds = await countExecution(workspaceId, limit);
      if (seconds === null) {
        counted.push({ executionId, countedUnder: limit });
        continue;
      }
      blockedUntil.set(workspaceId, seconds);
      if (isLate) counted.push({ executionId, countedUnder: null, refusal: 'workspace_rate_limited' });
      else delayed.set(workspaceId, [...(delayed.get(workspaceId) ?? []), executionId]);
    }
    for (const [workspaceId, ids] of delayed) await delayErrorStarts(db, ids, blockedUntil.get(workspaceId) ?? 1);
    return counted;
  }

  /** Starts error workflows. They are counted once nothing else refuses them. */
  async function start(due: readonly DueErrorStart[]): Promise<readonly ErrorStartResult[]> {
    const uncountedStarts = due.map(({ executionId }) => ({ executionId, countedUnder: null }));
    const { results, uncounted } = await startErrorWorkflows(db, uncountedStarts, addKey);
    if (uncounted.length === 0) return results;
    await announce(results);
    const counted = await count(due.filter(({ executionId }) => uncounted.includes(executionId)));
    return (await startErrorWorkflows(db, counted, addKey)).results;
  }

  async function announce(results: readonly ErrorStartResult[]): Promise<void> {
    const jobs = [];
    for (const { failedId, workspaceId, errorWorkflowId, result } of results) {
      if ('code' in result) {
        const { code } = result;
        logger.warn({ executionId: failedId, errorWorkflowId, code }, 'error workflow not started');
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
        act: start,
        onDone: announce,
        maxRows: BATCH,
        budgetMs: 500,
      },
    },
    context,
  );
}
