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
import { announceStarts, announceStops } from '../announce-runs.ts';
import type { PeriodicTask } from '../run-periodically.ts';
import { createStartLimits } from '../start-limits.ts';
import { actOnRows } from './act-on-rows.ts';
import { type MaintenanceContext, TASK_TIME_LIMIT_MS } from './maintenance-context.ts';
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
  const { db, logger, metrics } = context;
  const checks = { ...createStartLimits(context), mayReach };
  const budget = createTimeBudget({ minMs: BUDGET_MS, maxMs: MAX_BUDGET_MS, isIdle });
  let prunedAt = -Infinity;
  /** The workspace that got the last batch; undefined at the beginning of a round. */
  let after: string | undefined;

  /** Counts what a batch did, and announces the runs that it stopped or started. Other tasks make up for failures. */
  async function note(
    { kind, workspaceId }: DueBulkAction,
    { done, failed, skipped, startedIds }: BulkOutcome,
  ): Promise<void> {
    metrics.bulkActed(kind, { done: done.length, failed: failed.length, skipped: skipped.length });
    if (kind === 'stop') await announceStops(context, done);
    await announceStarts(
      context,
      'rerun',
      startedIds.map((executionId) => ({ workspaceId, executionId, dispatch: 1 })),
    );
  }

  /** Makes the next batch of an action. @returns whether any run was settled. */
  async function advance(action: DueBulkAction): Promise<boolean> {
    const found = await findUnsettledRuns(db, action.id, Math.min(BATCH, action.ratePerSecond ?? BATCH));
    let bytes = 0;
    const fitting = found.filter((run, index) => (bytes += run.bytes) <= MAX_BATCH_BYTES || index === 0);
    let isSettled = false;
    async function onOutcome(outcome: BulkOutcome): Promise<void> {
      isSettled = true;
      await note(action, outcome);
    }
    const badRuns: string[] = [];
    try {
      await actOnRows(
        fitting.map(({ id }) => id),
        {
          async act(ids: readonly string[]) {
            await performBatch(db, action, ids, checks, onOutcome);
            return [];
          },
          isUnavailable: isStoreUnavailable,
          onBadRow(executionId: string, err: unknown) {
            metrics.badRow(NAME);
            logger.error({ err, actionId: action.id, executionId }, 'bulk action failed for a run');
            // After another error, the run may be fine: it is tried again.
            if (isRowError(err)) badRuns.push(executionId);
          },
        },
        () => undefined,
      );
    } finally {
      for (const id of badRuns) {
        const outcome = await failUnsettledRun(db, action, id);
        if (outcome) await onOutcome(outcome);
      }
    }
    return isSettled;
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
