import {
  type ExecutionMode,
  type ExecutionSource,
  type ExecutionStatus,
  INLINE_OUTPUT_BYTES,
  INLINE_OUTPUTS_BYTES,
  type NodeStatus,
} from '@deckhand/contracts';
import { type Actor, memberMay } from '../../access.ts';
import { batchRows, isInPartitionsOf, isRun } from '../../batch.ts';
import { type Database, Prisma } from '../../client.ts';
import { personJson } from '../../users.ts';

/** How much is read of a run's nodes: each of them, their number per status, or nothing. */
export type ProgressDetail = 'nodes' | 'counts' | 'none';

/** A request for a run. */
export interface ReadExecutionRequest {
  readonly executionId: string;
  readonly actor: Actor;
  /** Leaves out every output. */
  readonly isSlim: boolean;
  /** How much is read of the nodes; `nodes` by default. */
  readonly progress?: ProgressDetail;
}

/** A run as the database returns it. Members that end in `Json` are serialised, and passed on without parsing. */
export interface ExecutionRecord {
  readonly id: string;
  readonly workspaceId: string;
  readonly workflowId: string;
  readonly workflowVersionId: string;
  readonly status: ExecutionStatus;
  readonly executionMode: ExecutionMode;
  readonly source: ExecutionSource;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
  readonly currentNodeId: string | null;
  readonly triggerNodeId: string;
  readonly rerunOf: string | null;
  readonly rerunFromNodeId: string | null;
  readonly rerunIterations: string | null;
  readonly untilNodeId: string | null;
  /** The nodes that it has mocks of; null without any. */
  readonly mockedNodeIds: readonly string[] | null;
  readonly parentExecutionId: string | null;
  readonly parentNodeId: string | null;
  /** Null for a run that was not delayed. */
  readonly startAt: Date | null;
  readonly expiresAt: Date | null;
  /** Null for 0. */
  readonly priority: number | null;
  /** Null without a limit by a key. */
  readonly concurrencyKey: string | null;
  readonly concurrencyLimit: number | null;
  readonly holdsKey: boolean | null;
  readonly errorOf: string | null;
  readonly errorExecutionId: string | null;
  readonly errorStartCode: string | null;
  /** Null without any. */
  readonly tags: readonly string[] | null;
  /** Null without any. */
  readonly metadataJson: string | null;
  /** Null once the workflow is deleted. */
  readonly workflowName: string | null;
  /** Changes with every visible change of the run. */
  readonly revision: number;
  /** Null after retention has deleted it. */
  readonly triggerJson: string | null;
  /** Whether it is left out because it has more than 64 KiB. */
  readonly isTriggerOmitted: boolean;
  readonly errorJson: string | null;
  readonly resultJson: string | null;
  /** Whether it is left out because it has more than 64 KiB. */
  readonly isResultOmitted: boolean;
  /** The members of `progress`, comma-separated, without the braces; null when no node has begun. */
  readonly progressJson: string | null;
  /** The decisions on its approvals, comma-separated JSON objects; null while there is none. */
  readonly approvalsJson: string | null;
  /** Nodes that have a record, with the detail `nodes`. */
  readonly begunNodeIds: readonly string[] | null;
  /** How many nodes have a record, by status, with the detail `counts`. */
  readonly nodeCounts: Readonly<Partial<Record<NodeStatus, number>>> | null;
}

interface Row extends ExecutionRecord {
  readonly position: number;
}

/**
 * Reads many runs, each with the progress of its nodes as JSON text that the database creates, so that outputs are
 * neither parsed nor serialised. So that many runs fit into memory, outputs, results and trigger data above 64 KiB are
 * left out, and so are the outputs of nodes in loops, and all outputs of a run that has very many (`outputOmitted`).
 * @returns the runs in the order of the requests; undefined for one that does not exist or is not visible.
 */
export async function readExecutions(
  db: Database,
  requests: readonly ReadExecutionRequest[],
): Promise<(ExecutionRecord | undefined)[]> {
  const ids = requests.map((request) => request.executionId);
  const isInPartition = isInPartitionsOf(Prisma.sql`n.execution_id`, ids);
  const rows = await db.$queryRaw<Row[]>`/* executions.read */
    SELECT asked.position::int AS position, e.id, e.workspace_id AS "workspaceId", e.workflow_id AS "workflowId",
      e.workflow_version_id AS "workflowVersionId", e.status::text AS status, e.execution_mode::text AS "executionMode",
      e.source::text AS source, e.created_at AS "createdAt", e.started_at AS "startedAt",
      e.finished_at AS "finishedAt", e.current_node_id AS "currentNodeId", e.trigger_node_id AS "triggerNodeId",
      e.rerun_of AS "rerunOf", e.rerun_from_node_id AS "rerunFromNodeId",
      e.rerun_iterations AS "rerunIterations", e.until_node_id AS "untilNodeId",
      CASE WHEN e.mocks IS NOT NULL THEN (SELECT array_agg(name) FROM json_object_keys(e.mocks::json) AS name) END AS "mockedNodeIds",
      e.parent_execution_id AS "parentExecutionId", e.parent_node_id AS "parentNodeId", e.start_at AS "startAt", e.expires_at AS "expiresAt",
      e.priority::int AS priority, e.concurrency_key AS "concurrencyKey", e.concurrency_limit::int AS "concurrencyLimit", e.holds_key AS "holdsKey",
      e.error_of AS "errorOf", e.error_execution_id AS "errorExecutionId", e.error_start_code AS "errorStartCode", e.tags, e.metadata::text AS "metadataJson", (SELECT f.name FROM workflows f WHERE f.id = e.workflow_id) AS "workflowName", e.revision, 
      coalesce(octet_length(e.trigger_data) > ${INLINE_OUTPUT_BYTES}, false) AS "isTriggerOmitted",
      CASE WHEN octet_length(e.trigger_data) <= ${INLINE_OUTPUT_BYTES} THEN e.trigger_data END AS "triggerJson",
      e.error AS "errorJson",
      CASE WHEN octet_length(e.result) <= ${INLINE_OUTPUT_BYTES} THEN e.result END AS "resultJson",
      coalesce(octet_length(e.result) > ${INLINE_OUTPUT_BYTES}, false) AS "isResultOmitted", nodes.progress AS "progressJson", nodes.ids AS "begunNodeIds",
      (
        SELECT string_agg('{"nodeId":"' || w.node_id || '","iteration":'
          || CASE WHEN w.iteration = '' THEN 'null' ELSE '"' || w.iteration || '"' END
          || ',"byUser":' || coalesce(${personJson(Prisma.sql`u`)}::text, 'null')
          || ',' || substr(w.answer, 2), ',' ORDER BY w.answered_at)
        FROM waits w LEFT JOIN users u ON u.id = w.answered_by
        WHERE w.execution_id = e.id AND w.kind = 'approval' AND w.answer IS NOT NULL
      ) AS "approvalsJson",
      CASE WHEN asked.progress = 'counts' THEN (
        SELECT coalesce(json_object_agg(c.status, c.count), '{}')
        FROM (SELECT n.status, count(*) AS count FROM node_runs n WHERE n.execution_id = e.id AND ${isInPartition} GROUP BY n.status) c
      ) END AS "nodeCounts"
    FROM ${batchRows([
      { type: 'uuid', values: ids },
      { type: 'uuid', values: requests.map((request) => request.actor.userId) },
      { type: 'uuid', values: requests.map((request) => request.actor.boundTo) },
      { type: 'boolean', values: requests.map((request) => request.isSlim) },
      { type: 'text', values: requests.map((request) => request.progress ?? 'nodes') },
    ])} AS asked (id, user_id, bound_to, is_slim, progress, position)
    CROSS JOIN LATERAL (
      -- One run at a time (OFFSET), so that the plan is good for any number of ids.
      SELECT e.* FROM executions e WHERE e.id = unplanned_id(asked.id) AND ${isInPartitionsOf(Prisma.sql`e.id`, ids)} OFFSET 0
    ) e
    JOIN memberships m ON m.workspace_id = e.workspace_id AND m.user_id = asked.user_id AND ${memberMay('runs.read')}
      AND (asked.bound_to IS NULL OR asked.bound_to = e.workspace_id)
    CROSS JOIN LATERAL (
      -- Seldom asked of all nodes, and once for a run: OFFSET keeps it from being asked for each.
      SELECT asked.is_slim OR CASE WHEN e.stored_bytes > ${INLINE_OUTPUTS_BYTES} THEN (
        SELECT sum(n.output_bytes) > ${INLINE_OUTPUTS_BYTES} FROM node_runs n
        WHERE n.execution_id = e.id AND ${isInPartition} AND n.iterations IS NULL AND n.output_bytes <= ${INLINE_OUTPUT_BYTES}
      ) IS TRUE ELSE false END AS outputs
      OFFSET 0
    ) omitted
    CROSS JOIN LATERAL (
      SELECT array_agg(n.node_id) AS ids, string_agg(
        '"' || n.node_id || '":{"status":"' || n.status
        || '","startedAt":' || coalesce('"' || to_char(n.started_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', 'null')
        || ',"finishedAt":' || coalesce('"' || to_char(n.finished_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', 'null')
        || ',"attempts":' || n.attempts
        || coalesce(',"attemptHistory":' || n.attempt_history, '')
        || coalesce(',"iterations":' || n.iterations, '')
        || coalesce(',"iterationCounts":' || n.iteration_counts, '')
        || ',"outputBytes":' || n.output_bytes
        || CASE
             WHEN n.iterations IS NOT NULL THEN CASE WHEN n.output_bytes > 0 THEN ',"outputOmitted":true' ELSE '' END
             WHEN n.output IS NULL AND n.output_ref IS NULL THEN ''
             WHEN omitted.outputs OR n.output IS NULL OR n.output_bytes > ${INLINE_OUTPUT_BYTES} THEN ',"outputOmitted":true'
             ELSE ',"output":' || n.output
           END
        || coalesce(',"error":' || n.error, '') || '}',
        ',' ORDER BY n.started_at, n.node_id) AS progress
      FROM node_runs n
      WHERE n.execution_id = e.id AND ${isInPartition} AND asked.progress = 'nodes'
    ) nodes`;
  const found = new Map(rows.map(({ position, ...record }) => [position, record]));
  return requests.map((_, index) => found.get(index + 1));
}

/** The trigger data and the result of a run as JSON text; null for what was not asked for, or is gone. */
export type LargeValues = Pick<ExecutionRecord, 'triggerJson' | 'resultJson'>;

/**
 * Reads values of a run that `readExecutions` left out, of any size.
 * @returns undefined if the run does not exist or is not visible.
 */
export async function readLargeValues(
  db: Database,
  actor: Actor,
  {
    executionId,
    trigger,
    result,
  }: { readonly executionId: string; readonly trigger: boolean; readonly result: boolean },
): Promise<LargeValues | undefined> {
  const rows = await db.$queryRaw<LargeValues[]>`/* executions.read-large-values */
    SELECT CASE WHEN ${trigger} THEN e.trigger_data END AS "triggerJson", CASE WHEN ${result} THEN e.result END AS "resultJson"
    FROM executions e
    JOIN memberships m ON m.workspace_id = e.workspace_id AND m.user_id = ${actor.userId}::uuid AND ${memberMay('runs.read')}
    WHERE ${isRun(Prisma.sql`e.id`, executionId)} AND (${actor.boundTo}::uuid IS NULL OR e.workspace_id = ${actor.boundTo}::uuid)`;
  return rows[0];
}
