import { claimExecutions, type ClaimedExecution, claimLimited, type ClaimRequest, type Database } from '@deckhand/db';
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
 * Claims runs for a worker, those of the moment together; undefined for one that is not to be had. Those under a limit of runs at once
 * have a line of their own, so that nobody else waits while workers take turns.
 */
export function createClaim({
  id,
  db,
  queue,
  persist,
  watch,
}: ClaimParts): (request: ClaimRequest) => Promise<ClaimedExecution | undefined> {
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
  return async (request) => (await claim(request)) ?? claimUnderLimit(request);
}

function inOrder(
  requests: readonly ClaimRequest[],
  claimed: readonly ClaimedExecution[],
): (ClaimedExecution | undefined)[] {
  const byId = new Map(claimed.map((run) => [run.id, run]));
  return requests.map(({ executionId }) => byId.get(executionId));
}
