import {
  type BulkOutcome,
  type DueBulkAction,
  failUnsettledRun,
  findDueBulkActions,
  findUnsettledRuns,
  isRowError,
  isStoreUnavailable,
  performBatch,
  pruneBulkActions,
  type RerunChecks,
} from '@deckhand/db';
import { publishControl } from '@deckhand/queue';
import type { PeriodicTask } from '../run-periodically.ts';
import { createStartLimits } from '../start-limits.ts';
import { actOnRows } from './act-on-rows.ts';
import { announceEnds, type MaintenanceContext, TASK_TIME_LIMIT_MS } from './maintenance-context.ts';
import { createTimeBudget } from './time-budget.ts';

const NAME = 'perform_bulk_actions';
/** Maximum number of runs of a batch, and of their bytes: low, so that no transaction holds its locks for long. */
const BATCH = 200;
const MAX_BATCH_BYTES = 16 * 1_048_576;
/** Maximum number of actions that get a batch in one round. */
const MAX_ACTIONS = 100;
/** Time budget of a pass, in ms, without and with a backlog. */
const BUDGET_MS = 200;
const MAX_BUDGET_MS = 500;
/** How often actions that ended long ago are deleted, in ms, and how many at once. */
const PRUNE_INTERVAL_MS = 60_000;
const PRUNE_BATCH = 1_000;

/**
 * Creates the task that carries out bulk actions: round by round, one batch for each workspace that has some, so that
 * no workspace delays the others. If a worker dies, the next holder of the lease continues after the last batch.
 * @param parts.isIdle returns whether this worker, which takes jobs before all others, has no runs.
 */
export function createBulkActions(
  context: MaintenanceContext,
  { isIdle, mayReach }: Pick<RerunChecks, 'mayReach'> & { readonly isIdle: () => boolean },
): PeriodicTask {
  const { db, redis, queue, logger, metrics, runs } = context;
  const checks = { ...createStartLimits(context), mayReach };
  const budget = createTimeBudget({ minMs: BUDGET_MS, maxMs: MAX_BUDGET_MS, isIdle });
  let prunedAt = -Infinity;
  /** The workspace that got the last batch; undefined at the beginning of a round. */
  let after: string | undefined;

  /** Notifies workers and callers of stopped runs, and queues new ones. Both are made up for by other tasks. */
  async function announce({ kind, workspaceId }: DueBulkAction, { done, startedIds }: BulkOutcome): Promise<void> {
    try {
      if (kind === 'stop' && done.length > 0) {
        runs.finished('stopped', done.length);
        await publishControl(redis, { type: 'stop', executionIds: done });
        await announceEnds(redis, done, 'stopped');
      }
      for (const _ of startedIds) runs.accepted('rerun');
      await queue.add(startedIds.map((executionId) => ({ workspaceId, executionId, dispatch: 1 })));
    } catch (err) {
      logger.warn({ err, kind, runs: done.length }, 'failed to announce runs of a bulk action, retrying');
    }
  }

  async function note(action: DueBulkAction, outcome: BulkOutcome | undefined): Promise<void> {
    if (outcome === undefined) return;
    const { done, failed, skipped } = outcome;
    metrics.bulkActed(action.kind, { done: done.length, failed: failed.length, skipped: skipped.length });
    await announce(action, outcome);
  }

  /** Makes the next batch of an action. @returns whether any run was settled. */
  async function advance(action: DueBulkAction): Promise<boolean> {
    const found = await findUnsettledRuns(db, action.id, Math.min(BATCH, action.ratePerSecond ?? BATCH));
    let bytes = 0;
    const fitting = found.filter((run, index) => (bytes += run.bytes) <= MAX_BATCH_BYTES || index === 0);
    const outcomes: (BulkOutcome | undefined)[] = [];
    const badRuns: string[] = [];
    try {
      await actOnRows(
        fitting.map(({ id }) => id),
        {
          act: async (ids: readonly string[]) => [await performBatch(db, action, ids, checks)],
          isUnavailable: isStoreUnavailable,
          onBadRow(executionId: string, err: unknown) {
            metrics.badRow(NAME);
            logger.error({ err, actionId: action.id, executionId }, 'bulk action failed for a run');
            // After another error, the run may be fine: it is tried again.
            if (isRowError(err)) badRuns.push(executionId);
          },
        },
        (results) => outcomes.push(...results),
      );
    } finally {
      for (const id of badRuns) outcomes.push(await failUnsettledRun(db, action, id));
      for (const outcome of outcomes) await note(action, outcome);
    }
    return outcomes.some((outcome) => outcome !== undefined);
  }

  return {
    name: NAME,
    intervalMs: 1_000,
    timeLimitMs: TASK_TIME_LIMIT_MS,
    async run(signal) {
      if (performance.now() - prunedAt >= PRUNE_INTERVAL_MS) {
        prunedAt = performance.now();
        await pruneBulkActions(db, PRUNE_BATCH);
      }
      const until = performance.now() + budget.ms();
      // Ends after a whole round without progress. The first one may have begun in its middle.
      let idleRounds = after === undefined ? 1 : 0;
      while (idleRounds < 2) {
        const due = await findDueBulkActions(db, { after, limit: MAX_ACTIONS });
        for (const action of due) {
          if (signal.aborted || performance.now() >= until) {
            budget.passed(true);
            return;
          }
          after = action.workspaceId;
          if (await advance(action)) idleRounds = 0;
        }
        if (due.length < MAX_ACTIONS) {
          after = undefined;
          idleRounds += 1;
        }
      }
      budget.passed(false);
    },
  };
}
