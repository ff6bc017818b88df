import { type Database, type DispatchedExecution, findUnclaimedRuns, type OperatorFilter } from '@deckhand/db';
import type { JobState, RunQueue } from '@deckhand/queue';

/** Runs looked at by one statement. */
const PAGE = 1_000;
/** A run that was dispatched more recently may have its job on the way, in ms. */
const UNCLAIMED_AFTER_MS = 2_000;
/** A job that was taken this long ago and whose run is still unclaimed was taken by a worker that died, in ms. */
const TAKEN_AFTER_MS = 3_000;

/** Goes through the runs that fit, wait for a worker and have lost their job, page by page. */
export async function* findLostRuns(
  { db, queue }: { readonly db: Database; readonly queue: RunQueue },
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
    const lost = page.filter((_, index) => isLost(states[index]));
    if (lost.length > 0) yield lost;
  }
}

function isLost(state: JobState | undefined): boolean {
  return state === undefined || state.kind === 'missing' || (state.kind === 'taken' && state.forMs > TAKEN_AFTER_MS);
}
