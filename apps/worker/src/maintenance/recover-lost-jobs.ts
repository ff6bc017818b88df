import {
  dispatchAgain,
  type DispatchedExecution,
  findUnclaimed,
  isStoreUnavailable,
  type UnclaimedExecution,
} from '@deckhand/db';
import type { JobState, Liveness } from '@deckhand/queue';
import type { PeriodicTask } from '../run-periodically.ts';
import { actOnRows } from './act-on-rows.ts';
import { createBadRows } from './bad-rows.ts';
import { type MaintenanceContext, TASK_TIME_LIMIT_MS } from './maintenance-context.ts';

const NAME = 'recover_lost_jobs';
const INTERVAL_MS = 1_000;
/** By default, the job of a run that is unclaimed for this long, in ms, is looked up in the queue. */
const UNCLAIMED_AFTER_MS = 2_000;
/** Number of runs per page. */
const PAGE = 1_000;
/** A pass ends after this many pages without a lost job. The next pass continues there, so that it reaches all runs. */
const MAX_IDLE_PAGES = 2;
/** Maximum number of pages per pass. */
const MAX_PAGES = 20;

/**
 * Creates the task that dispatches unclaimed runs again if their jobs are lost: the job is missing, or the worker that
 * took it is dead or cannot claim runs. It goes through all unclaimed runs page by page, some in each pass, and starts
 * over at the end.
 */
export function createLostJobRecovery(
  {
    db,
    queue,
    logger,
    metrics,
    unclaimedAfterMs = UNCLAIMED_AFTER_MS,
  }: Pick<MaintenanceContext, 'db' | 'queue' | 'logger' | 'metrics' | 'unclaimedAfterMs'>,
  liveness: Pick<Liveness, 'isDead' | 'cannotClaim'>,
): PeriodicTask {
  const badRows = createBadRows({ task: NAME, logger, onAdded: () => metrics.badRow(NAME) });
  let after: UnclaimedExecution | undefined;

  /**
   * Returns whether a job will never be handled. A job that a live worker took is not lost: the worker claims its runs,
   * or the lock on the job expires and another worker takes it.
   */
  function isLost(state: JobState | undefined): boolean {
    if (state === undefined || state.kind === 'missing') return true;
    if (state.kind === 'waiting') return false;
    const { workerId } = state;
    if (workerId === undefined) return true;
    return liveness.cannotClaim(workerId) || liveness.isDead(workerId);
  }

  async function findLost(page: readonly UnclaimedExecution[]): Promise<UnclaimedExecution[]> {
    const states = await queue.jobStates(page);
    const skipped = new Set(badRows.ids());
    return page.filter(({ executionId }, index) => !skipped.has(executionId) && isLost(states[index]));
  }

  async function dispatch(lost: readonly UnclaimedExecution[]): Promise<void> {
    const runs: DispatchedExecution[] = [];
    try {
      await actOnRows(
        lost,
        {
          act: (rows) => dispatchAgain(db, rows),
          isUnavailable: isStoreUnavailable,
          onBadRow: ({ executionId }, error) => badRows.add(executionId, error),
        },
        (dispatched) => runs.push(...dispatched),
      );
    } finally {
      if (runs.length > 0) {
        metrics.acted('lost_job', runs.length);
        logger.warn({ runs: runs.length }, 'dispatched runs with lost jobs again');
        await queue.add(runs);
      }
    }
  }

  return {
    name: NAME,
    intervalMs: INTERVAL_MS,
    timeLimitMs: TASK_TIME_LIMIT_MS,
    async run(signal) {
      let idlePages = 0;
      for (let pages = 0; pages < MAX_PAGES && idlePages < MAX_IDLE_PAGES && !signal.aborted; pages += 1) {
        const page = await findUnclaimed(db, { olderThanMs: unclaimedAfterMs, limit: PAGE, after });
        const lost = await findLost(page);
        if (lost.length === 0) idlePages += 1;
        else await dispatch(lost);
        after = page.length < PAGE ? undefined : page.at(-1);
        if (!after) return;
      }
    },
  };
}
