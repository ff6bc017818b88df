import type { ExecutionMode } from '@deckhand/contracts';
import { type Database, Prisma } from '../client.js';

/** What a job asks for: a run, for one dispatch of it. */
export interface ClaimRequest {
  readonly executionId: string;
  readonly dispatch: number;
}

/** A run that is this worker's now. */
export interface ClaimedExecution {
  readonly id: string;
  readonly workspaceId: string;
  readonly workflowVersionId: string;
  readonly executionMode: ExecutionMode;
  readonly triggerNodeId: string;
  /** Serialised JSON. */
  readonly triggerData: string;
  /** The fencing token: whoever holds an older one can write nothing. */
  readonly epoch: number;
  readonly dispatch: number;
  readonly deadlineAt: Date;
  /** How long it waited for this claim since it was dispatched, in seconds of the database's clock. */
  readonly waitedSeconds: number;
  /** When it was claimed for the first time, in seconds before now by the database's clock. */
  readonly startedSecondsAgo: number;
  /** How many answers its waits have got. */
  readonly answers: number;
  /** Whether another run may wait for this one. */
  readonly hasParent: boolean;
  /** The run that this one repeats. */
  readonly rerunOf: string | null;
  /** The node from which it does so; null for its trigger. */
  readonly rerunFromNodeId: string | null;
  /** W3C traceparent of the request that started it; null where nobody traced. */
  readonly traceParent: string | null;
}

/**
 * Claims runs for a worker, each at most once a dispatch, and raises their epoch.
 *
 * The race it excludes: a job delivered twice, or late, after the run was dispatched again, finds `claimed_dispatch` or
 * `dispatch` moved on and gets nothing. A worker that never got the answer of its own claim may ask again.
 * @returns the claimed runs in no order; a run that is missing was not to be had.
 */
export async function claimExecutions(
  db: Database,
  requests: readonly ClaimRequest[],
  workerId: string,
): Promise<ClaimedExecution[]> {
  const ids = requests.map((request) => request.executionId);
  const dispatches = requests.map((request) => request.dispatch);
  // Served by the primary key.
  return db.$queryRaw<ClaimedExecution[]>(Prisma.sql`/* executions.claim */
    UPDATE executions e
    SET status = 'running', epoch = e.epoch + 1, checkpoint = 0, claimed_dispatch = e.dispatch,
        worker_id = ${workerId}::uuid, started_at = coalesce(e.started_at, now()), wake_at = NULL,
        revision = e.revision + 1
    FROM unnest(${ids}::uuid[], ${dispatches}::int[]) AS w(id, dispatch)
    WHERE e.id = w.id AND e.dispatch = w.dispatch
      AND (e.claimed_dispatch < w.dispatch OR e.worker_id = ${workerId}::uuid)
      AND e.status IN ('pending', 'running', 'waiting_for_input', 'waiting_for_human')
    RETURNING e.id, e.workspace_id AS "workspaceId", e.workflow_version_id AS "workflowVersionId",
      e.execution_mode::text AS "executionMode", e.trigger_node_id AS "triggerNodeId",
      coalesce(e.trigger_data, 'null') AS "triggerData", e.epoch, e.dispatch, e.deadline_at AS "deadlineAt",
      extract(epoch FROM now() - e.dispatched_at)::float8 AS "waitedSeconds",
      extract(epoch FROM now() - e.started_at)::float8 AS "startedSecondsAgo",
      e.answers, e.parent_execution_id IS NOT NULL AS "hasParent",
      e.rerun_of AS "rerunOf", e.rerun_from_node_id AS "rerunFromNodeId",
      e.trace_parent AS "traceParent"`);
}
