import {
  claimExecutions,
  type ClaimedExecution,
  claimLimited,
  type ClaimRequest,
  type Database,
  digestOfRun,
  readUnclaimed,
} from '@deckhand/db';
import type { RunJob, RunQueue, RunSnapshot } from '@deckhand/queue';
import { createBatcher } from '@deckhand/runtime';
import { randomUUID } from 'node:crypto';
import type { RetryWhileUnavailable } from '../checkpoints/retry-while-unavailable.js';

/** Runs of one claiming statement at most. */
const CLAIM_BATCH = 100;

/** What claiming stands on. */
export interface ClaimParts {
  /** The worker's id. */
  readonly id: string;
  readonly db: Database;
  readonly queue: Pick<RunQueue, 'add'>;
  /** Repeats reads, watched by the claim health. */
  readonly retryRead: RetryWhileUnavailable;
  /** Repeats writes, watched by the claim health. */
  readonly retryWrite: RetryWhileUnavailable;
  /**
   * Repeats without being watched: claims under a limit may wait for other workers, and say nothing of the database.
   */
  readonly retry: RetryWhileUnavailable;
}

/**
 * Claims runs for a worker, those of the moment together; undefined for one that is not to be had. Those that were
 * dispatched for the first time are only read, unless their job has a snapshot: their first checkpoint claims them. One
 * that was sent out again is claimed at once, so that a run which its worker does not survive, or whose first
 * checkpoint comes late, is not begun by one after another. Those under a limit of runs at once have a line of their
 * own, so that nobody else waits while workers take turns.
 */
export function createClaim({
  id,
  db,
  queue,
  retryRead,
  retryWrite,
  retry,
}: ClaimParts): (job: RunJob) => Promise<ClaimedExecution | undefined> {
  const read = createBatcher<ClaimRequest, ClaimedExecution | undefined>({
    async flush(requests) {
      return inOrder(requests, await retryRead('claim', () => readUnclaimed(db, requests)));
    },
    maxSize: CLAIM_BATCH,
    concurrency: 2,
  });
  const claim = createBatcher<ClaimRequest, ClaimedExecution | undefined>({
    async flush(requests) {
      return inOrder(requests, await retryWrite('claim', () => claimExecutions(db, requests, id)));
    },
    maxSize: CLAIM_BATCH,
    concurrency: 2,
  });
  const claimUnderLimit = createBatcher<ClaimRequest, ClaimedExecution | undefined>({
    async flush(requests) {
      const { claimed, dispatched } = await retry('claim', () => claimLimited(db, requests, id));
      // Should this fail, maintenance finds them without a job.
      if (dispatched.length > 0) await queue.add(dispatched).catch(() => undefined);
      return inOrder(requests, claimed);
    },
    maxSize: CLAIM_BATCH,
    concurrency: 1,
  });
  return async ({ executionId, dispatch, snapshot }) => {
    if (snapshot) return readSnapshot(executionId, dispatch, snapshot);
    const request = { executionId, dispatch, token: randomUUID() };
    return (await (dispatch === 1 ? read(request) : claim(request))) ?? claimUnderLimit(request);
  };
}

/** The run of a snapshot, as the database would give it to `readUnclaimed`. */
function readSnapshot(executionId: string, dispatch: number, snapshot: RunSnapshot): ClaimedExecution {
  // Member by member: this is done for each run, and copying the rest of an object is slow.
  const run = {
    id: executionId,
    workspaceId: snapshot.workspaceId,
    workflowId: snapshot.workflowId,
    workflowVersionId: snapshot.workflowVersionId,
    executionMode: snapshot.executionMode,
    triggerNodeId: snapshot.triggerNodeId,
    triggerData: snapshot.triggerData,
    traceParent: snapshot.traceParent,
    isProvisional: true,
    epoch: 1,
    token: null,
    dispatch,
    deadlineAt: new Date(snapshot.deadlineAt),
    timeLeftMs: null,
    waitedSeconds: (Date.now() - snapshot.queuedAt) / 1_000,
    startedSecondsAgo: 0,
    answers: 0,
    hasParent: false,
    rerunOf: null,
    rerunFromNodeId: null,
    holdsSlot: false,
  } as const;
  return { digest: digestOfRun(run), ...run };
}

function inOrder(
  requests: readonly ClaimRequest[],
  claimed: readonly ClaimedExecution[],
): (ClaimedExecution | undefined)[] {
  const byId = new Map(claimed.map((run) => [run.id, run]));
  return requests.map(({ executionId }) => byId.get(executionId));
}
