import type { ExecutionMode } from '@deckhand/contracts';
import { type Database, Prisma } from '../../client.ts';
import { LOCK_RUNS } from '../../lock-order.ts';
import { EMIT_STARTED } from '../../events/emit.ts';
import { isOneOfRuns } from '../../batch.ts';
import { heldUntil, mayBegin, mayMove } from '../run-status.ts';

/** A claim request from a job: a run, and one dispatch of it. */
export interface ClaimRequest {
  readonly executionId: string;
  readonly dispatch: number;
  /** A new UUID for each claim. A repeated claim with the same token is the same claim. */
  readonly token: string;
}

/** A claim of a run. Every write of the worker compares it with the run's row. */
export interface Claim {
  /** Counts the claims and stops of the run. Workers of earlier versions compare only this. */
  readonly epoch: number;
  /** Unlike a counter, it never repeats, even after a failover that lost the last commits. */
  readonly token: string;
}

/** A run that this worker has claimed, or, if it is provisional, claims with its first checkpoint. */
export interface ClaimedExecution {
  readonly id: string;
  readonly workspaceId: string;
  readonly workflowId: string;
  readonly workflowVersionId: string;
  readonly executionMode: ExecutionMode;
  readonly triggerNodeId: string;
  /** Serialised JSON. */
  readonly triggerData: string;
  /** It is not claimed yet: its first checkpoint claims it, unless another worker was faster. */
  readonly isProvisional: boolean;
  /** `computeRunDigest` of the snapshot that it was started from; null if it was read from the database. */
  readonly digest: string | null;
  /** Whether a caller waits for the result. Only a snapshot says so. */
  readonly isAwaited?: boolean;
  readonly epoch: number;
  /** The token of the claim; null for a provisional run, whose first checkpoint brings one. */
  readonly token: string | null;
  readonly dispatch: number;
  readonly deadlineAt: Date;
  /** How long workers may hold it, in ms; null if that is not limited, or follows from its version. */
  readonly timeLeftMs: number | null;
  /** How long it waited for this claim since it was dispatched, in seconds of the database's clock. */
  readonly waitedSeconds: number;
  /** How long ago it was claimed for the first time, in seconds. */
  readonly startedSecondsAgo: number;
  /** Number of answers that its waits have received. */
  readonly answerCount: number;
  /** Whether another run may wait for this one. */
  readonly hasParent: boolean;
  /** The run that this one reruns. */
  readonly rerunOf: string | null;
  /** The node that the rerun starts from; null for its trigger. */
  readonly rerunFromNodeId: string | null;
  /** `failed` if of loops around that node only the iterations in which it failed run again; null for all of them. */
  readonly rerunIterations: string | null;
  /** The node after which it ends; null for a whole run. */
  readonly untilNodeId: string | null;
  /** Serialised outputs by node id that it uses instead of running these nodes; null without any. */
  readonly mocks: string | null;
  /** W3C traceparent of the request that started it; null without tracing. */
  readonly traceParent: string | null;
  /** Whether it counts towards a limit of concurrent runs, so that others may wait for its slot. */
  readonly holdsSlot: boolean;
  /** The key under which its runs are limited, so that others may wait for its slot; null without one. */
  readonly concurrencyKey: string | null;
  /** Serialised positions of its loops as the last checkpoint left them; null without loops in progress. */
  readonly loopPositions: string | null;
}

/**
 * Claims runs for a worker, each at most once per dispatch, and raises their epoch. `claimLimited` claims the runs of
 * workspaces and workflows with a limit of concurrent runs.
 *
 * Race: a job that is delivered twice, or late, after the run was dispatched again, finds that
 * `claimed_dispatch` or `dispatch` has changed, and gets nothing. A worker that never got the response to its claim may
 * repeat it with the same token.
 * @returns the claimed runs in no order; a run that is missing could not be claimed.
 */
export async function claimExecutions(
  db: Database,
  requests: readonly ClaimRequest[],
  workerId: string,
): Promise<ClaimedExecution[]> {
  const ids = requests.map(({ executionId }) => executionId);
  const isRequested = isOneOfRuns(Prisma.sql`e.id`, ids);
  // Served by the primary key. workspaces_limited and workflows_limited are empty if there are no limits.
  return db.$queryRaw<ClaimedExecution[]>`/* executions.claim */
    WITH w AS (
      SELECT e.id, w.token, ${STARTED_RUN} FROM executions e JOIN ${wanted(requests)} ON ${IS_CLAIMABLE}
      WHERE ${isRequested} AND ${isUnlimited(Prisma.sql`e`)} ${LOCK_RUNS}
    ), emitted AS (
      ${EMIT_STARTED}
    )
    UPDATE executions e
    SET ${CLAIM}, worker_id = ${workerId}::uuid
    FROM w WHERE e.id = w.id AND ${isRequested}
    RETURNING ${CLAIMED}`;
}

/**
 * Reads runs that were dispatched for the first time. Their first checkpoints claim them, which saves a write for each.
 * Until then, a worker may only do what can be done twice. `claimLimited` claims runs under a limit of concurrent runs.
 * @returns the runs in no order; one that is missing cannot be claimed.
 */
export async function readUnclaimed(
  db: Database,
  requests: readonly { readonly executionId: string }[],
): Promise<ClaimedExecution[]> {
  const ids = requests.map(({ executionId }) => executionId);
  return db.$queryRaw<ClaimedExecution[]>`/* executions.read-unclaimed */
    SELECT ${claimedColumns({
      isProvisional: true,
      epoch: Prisma.sql`e.epoch + 1`,
      token: Prisma.sql`NULL`,
      startedAt: Prisma.sql`now()`,
    })}
    FROM executions e
    WHERE ${isOneOfRuns(Prisma.sql`e.id`, ids)} AND ${isUnclaimed(Prisma.sql`e`)} AND ${isUnlimited(Prisma.sql`e`)}`;
}

/** Whether the run was dispatched once and never claimed, and has not expired. */
export function isUnclaimed(run: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`${run}.status = 'pending' AND ${run}.dispatch = 1 AND ${run}.claimed_dispatch = 0
    AND ${run}.checkpoint_version <= ${CHECKPOINT_VERSION} AND ${mayBegin(run)}`;
}

/** Whether neither the run's workspace nor its workflow has a limit of concurrent runs. */
export function isUnlimited(run: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`NOT EXISTS (
        SELECT 1 FROM workspaces s WHERE s.id = ${run}.workspace_id AND s.max_concurrent_executions IS NOT NULL)
      AND NOT EXISTS (
        SELECT 1 FROM workflows f WHERE f.id = ${run}.workflow_id AND f.max_concurrent_executions IS NOT NULL)`;
}

/**
 * Version of the format of stored checkpoints (rows of node runs, iterations, waits). Raise it with a change that
 * earlier workers would misread: they leave a run to others once a newer worker has claimed it.
 */
export const CHECKPOINT_VERSION = Prisma.raw('1');

/** Columns of the run `e` before its claim, for `EMIT_STARTED`. */
export const STARTED_RUN = Prisma.sql`e.workspace_id, e.workflow_id, e.execution_mode, e.revision, e.tags,
        e.started_at IS NULL AS "isFirst"`;

/** Assignments of a claim for the request `w` to the run `e`, except the worker's id. */
export const CLAIM = Prisma.sql`status = 'running', epoch = e.epoch + 1, claim_token = w.token, checkpoint = 0,
  checkpoint_version = ${CHECKPOINT_VERSION}, claimed_dispatch = e.dispatch,
  started_at = coalesce(e.started_at, now()), held_until = ${heldUntil(Prisma.sql`now()`)}, wake_at = NULL, held_back_at = NULL, revision = e.revision + 1`;

function claimedColumns(of: {
  isProvisional: boolean;
  epoch: Prisma.Sql;
  token: Prisma.Sql;
  startedAt: Prisma.Sql;
}): Prisma.Sql {
  return Prisma.sql`e.id, e.workspace_id AS "workspaceId", e.workflow_id AS "workflowId",
  e.workflow_version_id AS "workflowVersionId", e.execution_mode::text AS "executionMode",
  e.trigger_node_id AS "triggerNodeId", coalesce(e.trigger_data, 'null') AS "triggerData",
  ${of.isProvisional}::boolean AS "isProvisional", NULL AS digest, ${of.epoch} AS epoch, ${of.token} AS token, e.dispatch,
  e.deadline_at AS "deadlineAt", e.time_left_ms::float8 AS "timeLeftMs", extract(epoch FROM now() - e.dispatched_at)::float8 AS "waitedSeconds",
  extract(epoch FROM now() - ${of.startedAt})::float8 AS "startedSecondsAgo",
  e.answers AS "answerCount", e.parent_execution_id IS NOT NULL AS "hasParent",
  e.rerun_of AS "rerunOf", e.rerun_from_node_id AS "rerunFromNodeId", e.rerun_iterations AS "rerunIterations",
  e.until_node_id AS "untilNodeId", e.mocks,
  e.trace_parent AS "traceParent", e.holds_slot AS "holdsSlot", e.concurrency_key AS "concurrencyKey", e.loop_positions AS "loopPositions"`;
}

/** The columns of a ClaimedExecution that a claim returns. */
export const CLAIMED = claimedColumns({
  isProvisional: false,
  epoch: Prisma.sql`e.epoch`,
  token: Prisma.sql`e.claim_token`,
  startedAt: Prisma.sql`e.started_at`,
});

/** The requests as the rows `w`. */
export function wanted(requests: readonly ClaimRequest[]): Prisma.Sql {
  const ids = requests.map((request) => request.executionId);
  const dispatches = requests.map((request) => request.dispatch);
  const tokens = requests.map((request) => request.token);
  return Prisma.sql`unnest(${ids}::uuid[], ${dispatches}::int[], ${tokens}::uuid[]) AS w(id, dispatch, token)`;
}

/**
 * Whether the run `e` may be claimed for the request `w`: this dispatch is unclaimed, or this very claim has claimed
 * it.
 */
export const IS_CLAIMABLE = Prisma.sql`e.id = w.id AND e.dispatch = w.dispatch
  AND (e.claimed_dispatch < w.dispatch OR e.worker_id IS NOT NULL AND e.claim_token = w.token)
  AND ${mayMove('claim')} AND e.checkpoint_version <= ${CHECKPOINT_VERSION} AND ${mayBegin()}`;
