import {
  claimExecutions,
  type ClaimedExecution,
  claimLimited,
  type ClaimRequest,
  type Database,
  computeRunDigest,
  readUnclaimed,
} from '@deckhand/db';
import type { RunJob, QueueProducer, RunSnapshot } from '@deckhand/queue';
import { createBatcher } from '@deckhand/runtime';
import { randomUUID } from 'node:crypto';
import type { RetryWhileUnavailable } from '../checkpoints/retry-while-unavailable.ts';

/** Maximum number of runs per claiming statement. */
const MAX_BATCH = 100;

/** What claiming needs. */
export interface ClaimParts {
  /** The worker's id. */
  readonly id: string;
  readonly db: Database;
  readonly queue: Pick<QueueProducer, 'add'>;
  /** Repeats reads, watched by the claim health. */
  readonly retryRead: RetryWhileUnavailable;
  /** Repeats writes, watched by the claim health. */
  readonly retryWrite: RetryWhileUnavailable;
  /**
   * Repeats without being watched: a claim under a limit may wait for other workers, which shows nothing about the
   * health of the database.
   */
  readonly retry: RetryWhileUnavailable;
}

/**
 * Creates the function that claims runs for a worker. Claims that are requested at the same time share a statement.
 *
 * - A run with a snapshot needs no query: its first checkpoint claims it.
 * - A run that is dispatched for the first time is only read; its first checkpoint claims it, too.
 * - A run that is dispatched again is claimed at once. Otherwise a run that kills its worker, or whose first checkpoint
 *   comes late, could be started by one worker after another.
 * - Runs under a limit of runs at once have batches of their own, because their statement waits for other workers.
 *
 * @returns a function that returns undefined if the run cannot be claimed.
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
      return toRequestOrder(requests, await retryRead('claim', () => readUnclaimed(db, requests)));
    },
    maxSize: MAX_BATCH,
    concurrency: 2,
  });
  const claim = createBatcher<ClaimRequest, ClaimedExecution | undefined>({
    async flush(requests) {
      return toRequestOrder(requests, await retryWrite('claim', () => claimExecutions(db, requests, id)));
    },
    maxSize: MAX_BATCH,
    concurrency: 2,
  });
  const claimUnderLimit = createBatcher<ClaimRequest, ClaimedExecution | undefined>({
    async flush(requests) {
      const { claimed, dispatched } = await retry('claim', () => claimLimited(db, requests, id));
      // If this fails, maintenance finds the runs without a job and queues them.
      if (dispatched.length > 0) await queue.add(dispatched).catch(() => undefined);
      return toRequestOrder(requests, claimed);
    },
    maxSize: MAX_BATCH,
    concurrency: 1,
  });
  return async ({ executionId, dispatch, snapshot }) => {
    if (snapshot) return readSnapshot(executionId, dispatch, snapshot);
    const request = { executionId, dispatch, token: randomUUID() };
    return (await (dispatch === 1 ? read(request) : claim(request))) ?? claimUnderLimit(request);
  };
}

/** Returns the run of a snapshot in the form in which `readUnclaimed` returns it. */
function readSnapshot(executionId: string, dispatch: number, snapshot: RunSnapshot): ClaimedExecution {
  // Lists each member because this runs for every run, and spreading the rest of an object is slow.
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
    isAwaited: snapshot.isAwaited === true,
    epoch: 1,
    token: null,
    dispatch,
    deadlineAt: new Date(snapshot.deadlineAt),
    timeLeftMs: null,
    waitedSeconds: (Date.now() - snapshot.queuedAt) / 1_000,
    startedSecondsAgo: 0,
    answerCount: 0,
    hasParent: false,
    rerunOf: null,
    rerunFromNodeId: null,
    rerunIterations: null,
    untilNodeId: null,
    mocks: null,
    holdsSlot: false,
    concurrencyKey: null,
    loopPositions: null,
  } as const;
  return { digest: computeRunDigest(run), ...run };
}

function toRequestOrder(
  requests: readonly ClaimRequest[],
  claimed: readonly ClaimedExecution[],
): (ClaimedExecution | undefined)[] {
  const byId = new Map(claimed.map((run) => [run.id, run]));
  return requests.map(({ executionId }) => byId.get(executionId));
}
