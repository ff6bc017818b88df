import {
  dispatchAgain,
  type DispatchedExecution,
  findUnclaimed,
  isStoreUnavailable,
  type UnclaimedExecution,
} from '@deckhand/db';
import type { JobState, Liveness } from '@deckhand/queue';
import type { PeriodicTask } from '../run-periodically.js';
import { actOnRows } from './act-on-rows.js';
import { createBadRows } from './bad-rows.js';
import { type MaintenanceContext, TASK_TIME_LIMIT_MS } from './maintenance-context.js';

const NAME = 'recover_lost_jobs';
const INTERVAL_MS = 1_000;
/** A run that nobody has claimed after this long is looked up in the queue, in ms. */
const UNCLAIMED_AFTER_MS = 2_000;
/** Runs of one page. */
const PAGE = 1_000;
/**
 * Pages of one pass in which no job was lost: the next pass goes on after them, so that no backlog hides a run for
 * good.
 */
const MAX_IDLE_PAGES = 2;
/** Pages of one pass at most. */
const MAX_PAGES = 20;

/**
 * Dispatches runs again that nobody has claimed and whose jobs are lost: the job is gone, or the worker that took it is
 * dead or can claim nothing. It goes through all unclaimed runs page by page, some in each pass, and begins anew at
 * their end.
 */
export function createLostJobRecovery(
  { db, queue, logger, metrics }: Pick<MaintenanceContext, 'db' | 'queue' | 'logger' | 'metrics'>,
  liveness: Pick<Liveness, 'isDead' | 'cannotClaim'>,
): PeriodicTask {
  const badRows = createBadRows({ task: NAME, logger, onAdded: () => metrics.badRow(NAME) });
  let after: UnclaimedExecution | undefined;

  /** A worker that lives and took a job claims its run, or its queue's lock on the job ends and another takes it. */
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
        logger.warn({ runs: runs.length }, 'dispatched runs again whose jobs were lost');
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
        const page = await findUnclaimed(db, { olderThanMs: UNCLAIMED_AFTER_MS, limit: PAGE, after });
        const lost = await findLost(page);
        if (lost.length === 0) idlePages += 1;
        else await dispatch(lost);
        after = page.length < PAGE ? undefined : page.at(-1);
        if (!after) return;
      }
    },
  };
}
