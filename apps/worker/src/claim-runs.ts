import {
  claimExecutions,
  type ClaimedExecution,
  claimLimited,
  type ClaimRequest,
  type Database,
  readUnclaimed,
} from '@deckhand/db';
import type { RunQueue } from '@deckhand/queue';
import { createBatcher } from '@deckhand/runtime';
import type { ClaimWatch } from './claim-watch.js';
import type { Persist } from './persist.js';

/** Runs of one claiming statement at most. */
const CLAIM_BATCH = 100;

/** What claiming stands on. */
export interface ClaimParts {
  /** The worker's id. */
  readonly id: string;
  readonly db: Database;
  readonly queue: Pick<RunQueue, 'add'>;
  readonly persist: Persist;
  /** Notes that a claim is answered. Those under a limit may wait for other workers, and say nothing of the database. */
  readonly watch: ClaimWatch['watch'];
}

/**
 * Claims runs for a worker, those of the moment together; undefined for one that is not to be had. Those that were dispatched for the
 * first time are only read: their first checkpoint claims them. One that was sent out again is claimed at once, so that a run which
 * its worker does not survive, or whose first checkpoint comes late, is not begun by one after another. Those under a limit of
 * runs at once have a line of their own, so that nobody else waits while workers take turns.
 */
export function createClaim({
  id,
  db,
  queue,
  persist,
  watch,
}: ClaimParts): (request: ClaimRequest) => Promise<ClaimedExecution | undefined> {
  const read = createBatcher<ClaimRequest, ClaimedExecution | undefined>({
    async flush(requests) {
      return inOrder(requests, await watch(() => persist('claim', () => readUnclaimed(db, requests))));
    },
    maxSize: CLAIM_BATCH,
    concurrency: 2,
  });
  const claim = createBatcher<ClaimRequest, ClaimedExecution | undefined>({
    async flush(requests) {
      return inOrder(requests, await watch(() => persist('claim', () => claimExecutions(db, requests, id))));
    },
    maxSize: CLAIM_BATCH,
    concurrency: 2,
  });
  const claimUnderLimit = createBatcher<ClaimRequest, ClaimedExecution | undefined>({
    async flush(requests) {
      const { claimed, dispatched } = await persist('claim', () => claimLimited(db, requests, id));
      // Should this fail, the reconciler finds them without a job.
      if (dispatched.length > 0) await queue.add(dispatched).catch(() => undefined);
      return inOrder(requests, claimed);
    },
    maxSize: CLAIM_BATCH,
    concurrency: 1,
  });
  return async (request) =>
    (await (request.dispatch === 1 ? read(request) : claim(request))) ?? claimUnderLimit(request);
}

function inOrder(
  requests: readonly ClaimRequest[],
  claimed: readonly ClaimedExecution[],
): (ClaimedExecution | undefined)[] {
  const byId = new Map(claimed.map((run) => [run.id, run]));
  return requests.map(({ executionId }) => byId.get(executionId));
}
