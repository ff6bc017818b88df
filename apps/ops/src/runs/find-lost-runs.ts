import { type Database, type DispatchedExecution, findUnclaimedRuns, type OperatorFilter } from '@deckhand/db';
import type { JobState, QueueProducer } from '@deckhand/queue';
import type { WorkerWatch } from './worker-watch.ts';

/** Number of runs that one statement checks. */
const PAGE = 1_000;
/** Minimum time since a run's dispatch, in ms: its job may not be in the queue yet. */
const UNCLAIMED_AFTER_MS = 2_000;

/**
 * Finds matching runs that wait for a worker and have lost their job, page by page: the job is gone, or the worker that
 * took it is dead or cannot claim runs.
 * @param now the database's time.
 */
export async function* findLostRuns(
  { db, queue, watch }: { readonly db: Database; readonly queue: QueueProducer; readonly watch: WorkerWatch },
  filter: OperatorFilter,
  now: Date,
): AsyncGenerator<DispatchedExecution[]> {
  const dispatchedBefore = new Date(now.getTime() - UNCLAIMED_AFTER_MS);
  let afterId: string | undefined;
  for (;;) {
    const page = await findUnclaimedRuns(db, filter, { dispatchedBefore, afterId, limit: PAGE });
    if (page.length === 0) return;
    afterId = page.at(-1)?.executionId;
    const states = await queue.jobStates(page);
    await watch.decide(new Set(states.flatMap((state) => takerOf(state) ?? [])));
    const lost = page.filter((_, index) => isLost(states[index], watch));
    if (lost.length > 0) yield lost;
  }
}

function takerOf(state: JobState): string | undefined {
  return state.kind === 'taken' ? state.workerId : undefined;
}

function isLost(state: JobState | undefined, watch: WorkerWatch): boolean {
  if (state === undefined || state.kind === 'missing') return true;
  if (state.kind === 'waiting') return false;
  const { workerId } = state;
  return workerId === undefined || watch.cannotClaim(workerId) || watch.isDead(workerId);
}
