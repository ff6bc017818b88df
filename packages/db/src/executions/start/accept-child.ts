import { concurrencyOf, parseOwnJson } from '@deckhand/contracts';
import { acceptWithinKey, type KeyedStart } from '../../concurrency/keys.ts';
import { queryWithRawParameters } from '../../connection.ts';
import { type Database, Prisma, type Queryable } from '../../client.ts';
import type { NeedsKey, NotCounted } from './admission.ts';
import { type ChosenVersion, isChosenVersion } from './chosen-version.ts';
import { LOCK_RUNS } from '../../lock-order.ts';
import { continueAnswered } from '../waits/end-waits.ts';
import type { ReleasedExecution } from '../claim/release.ts';
import {
  needsKey,
  OPTION_COLUMNS,
  optionBytes,
  optionDeadline,
  optionTimeLeft,
  optionValues,
} from './start-options.ts';
import { isFinished, isUnfinished } from '../run-status.ts';

/** A run that a node of another run starts. */
export interface ChildRequest extends ChosenVersion {
  /** The same id whenever the node runs again, so that the child is started once. */
  readonly executionId: string;
  readonly workflowId: string;
  readonly parentExecutionId: string;
  readonly parentNodeId: string;
  /** Serialised JSON. */
  readonly triggerData: string;
  /** Serialised `StartOptions`; undefined without any. */
  readonly options?: string | undefined;
  /** The workspace's limit of runs per minute when the child was counted; undefined if it was not counted yet. */
  readonly countedUnder?: number;
}

/** The result. `started` also if an earlier attempt had started it; `dispatch` is the job to be queued. */
export type ChildVerdict =
  | {
      readonly kind: 'started';
      readonly workspaceId: string;
      readonly dispatch: number;
      /** What a limit by a key did; undefined for a run without one. */
      readonly underKey?: KeyedStart;
    }
  | NotCounted
  | NeedsKey
  | {
      readonly kind:
        Exclude<ChildRow['verdict'], 'started' | 'notCounted' | 'needsKey'> | 'parentGone' | 'limitReached';
    };

/** A row of the result. */
interface ChildRow {
  readonly verdict:
    | 'started'
    | 'notFound'
    | 'noVersion'
    | 'noTrigger'
    | 'tooDeep'
    | 'tooMany'
    | 'overQuota'
    | NotCounted['kind']
    | NeedsKey['kind'];
  readonly workspaceId: string;
  readonly executionsPerMinute: number | null;
  /** Null if the child existed before. */
  readonly dispatch: number | null;
  /** Serialised, of the workflow; null unless the child needs its key. */
  readonly concurrency: string | null;
}

/** Maximum depth of runs that start runs. */
const MAX_DEPTH = 10;
/** Maximum number of runs that one run may start, directly and indirectly. */
const MAX_FAMILY = 20_000;

/**
 * Starts a run of a workflow in its parent's workspace, with the parent's mode and at most its deadline. It counts
 * towards the workspace's limits like any other run. Repeating the call is harmless. A finished parent starts nothing,
 * and a run that a paused parent starts, because its node was in progress, is paused with it.
 * The children of one root lock the row of their family one after another, so that no two of them can be the last one
 * allowed.
 */
export async function acceptChild(db: Database, request: ChildRequest): Promise<ChildVerdict> {
  const concurrency = concurrencyOf(request.options);
  if (!concurrency) return insertChild(db, request);
  const { executionId, workflowId, parentExecutionId: parentId } = request;
  const result = await acceptWithinKey(
    db,
    { executionId, workflowId, parentId, concurrency },
    (tx) => insertChild(tx, request),
    ({ kind }) => kind === 'started',
  );
  if (result.kind === 'limitReached') return result;
  return result.kind === 'accepted' && result.verdict.kind === 'started'
    ? { ...result.verdict, underKey: result.start }
    : result.verdict;
}

async function insertChild(db: Queryable, request: ChildRequest): Promise<ChildVerdict> {
  const options = Prisma.sql`${request.options ?? null}::jsonb`;
  const [row] = await queryWithRawParameters<ChildRow[]>(
    db,
    Prisma.sql`/* executions.accept-child */
    WITH RECURSIVE parent AS (
      SELECT * FROM executions e WHERE e.id = ${request.parentExecutionId}::uuid AND ${isUnfinished()}
      FOR SHARE
    ), ancestors AS (
      SELECT id, parent_execution_id, depth FROM parent
      UNION ALL
      SELECT e.id, e.parent_execution_id, e.depth FROM ancestors a JOIN executions e ON e.id = a.parent_execution_id
    ), admitted AS (
      SELECT p.id AS parent_id, p.workspace_id, p.execution_mode, p.depth, p.deadline_at, p.trace_parent, p.error_of, p.status AS parent_status, coalesce(p.paused_with, p.id) AS paused_by, v.id AS version_id,
        ${optionDeadline(options)} AS own_deadline_at, ${optionTimeLeft(options)} AS time_left_ms,
        v.trigger_node_ids, ws.executions_per_minute, v.concurrency,
        CASE
          WHEN EXISTS (SELECT 1 FROM executions e WHERE e.id = ${request.executionId}::uuid) THEN 'repeated'
          WHEN w.id IS NULL THEN 'notFound'
          WHEN v.id IS NULL THEN 'noVersion'
          WHEN cardinality(v.trigger_node_ids) = 0 THEN 'noTrigger'
          WHEN p.depth >= ${MAX_DEPTH} THEN 'tooDeep'
          WHEN ws.stored_bytes >= ws.storage_quota_bytes THEN 'overQuota'
          WHEN ${needsKey(options)} THEN 'needsKey'
          WHEN ws.executions_per_minute <> ${request.countedUnder ?? 0}::int THEN 'notCounted'
          ELSE 'started'
        END AS verdict
      FROM parent p
      LEFT JOIN workflows w ON w.id = ${request.workflowId}::uuid AND w.workspace_id = p.workspace_id
      LEFT JOIN workflow_versions v
        ON ${isChosenVersion(Prisma.sql`${request.versionId ?? null}::uuid`, Prisma.sql`${request.isActiveVersion ?? false}::boolean`)}
      LEFT JOIN workspaces ws ON ws.id = p.workspace_id
    ), family AS (
      INSERT INTO run_families AS f (root_execution_id, started)
      SELECT a.id, 1 FROM admitted CROSS JOIN LATERAL (
        SELECT id FROM ancestors ORDER BY depth LIMIT 1
      ) a
      WHERE verdict = 'started'
      ON CONFLICT (root_execution_id) DO UPDATE SET started = f.started + 1 WHERE f.started < ${MAX_FAMILY}
      RETURNING root_execution_id
    ), inserted AS (
      INSERT INTO executions (
        id, workspace_id, workflow_id, workflow_version_id, execution_mode, source, trigger_node_id, trigger_data,
        parent_execution_id, parent_node_id, depth, created_at, dispatched_at, deadline_at, time_left_ms,
        stored_bytes, trace_parent, error_of, status, paused_with, ${OPTION_COLUMNS}
      )
      SELECT ${request.executionId}::uuid, workspace_id, ${request.workflowId}::uuid, version_id, execution_mode, 'workflow',
        trigger_node_ids[1], ${request.triggerData}, parent_id, ${request.parentNodeId}, depth + 1, now(), now(),
        least(deadline_at, own_deadline_at), time_left_ms,
        octet_length(${request.triggerData}) + ${optionBytes(options)}, trace_parent, error_of,
        CASE WHEN parent_status = 'paused' THEN 'paused'::execution_status ELSE 'pending' END,
        CASE WHEN parent_status = 'paused' THEN paused_by END, ${optionValues(options)}
      FROM admitted WHERE verdict = 'started' AND EXISTS (SELECT 1 FROM family)
      ON CONFLICT (id) DO NOTHING
      RETURNING workspace_id, stored_bytes, dispatch
    ), stored AS (
      INSERT INTO storage_changes (workspace_id, bytes) SELECT workspace_id, stored_bytes FROM inserted
    )
    SELECT
      CASE
        WHEN verdict = 'repeated' THEN 'started'
        WHEN verdict = 'started' AND NOT EXISTS (SELECT 1 FROM family) THEN 'tooMany'
        ELSE verdict
      END AS verdict,
      workspace_id AS "workspaceId", executions_per_minute AS "executionsPerMinute",
      (SELECT dispatch FROM inserted) AS dispatch,
      CASE verdict WHEN 'needsKey' THEN concurrency::text END AS concurrency
    FROM admitted`,
  );
  if (!row) return { kind: 'parentGone' };
  const { verdict, workspaceId, executionsPerMinute, dispatch } = row;
  switch (verdict) {
    case 'started':
      return { kind: verdict, workspaceId, dispatch: dispatch ?? 1 };
    case 'needsKey':
      return { kind: verdict, concurrency: parseOwnJson(row.concurrency ?? '{}') };
    case 'notCounted':
      return { kind: verdict, workspaceId, executionsPerMinute: executionsPerMinute ?? 0 };
    default:
      return { kind: verdict };
  }
}

/** Maximum number of waits that one transaction ends: a run may have waited for any number of others. */
const MAX_ENDED_WAITS = 1_000;

/** An open wait for a run that is finished. */
interface DueWait {
  readonly parentId: string;
  readonly nodeId: string;
  readonly iteration: string;
}

/**
 * Ends the waits of parents whose children are finished, and dispatches the parents that no worker holds.
 * @param finished the children, or the parents, to check; or `limit`, by which maintenance checks all, up to so many
 * waits. A later call handles the rest.
 * @returns the parents with the dispatch to be queued; null for a parent whose worker has to be notified.
 */
export async function endWaitsOfParents(
  db: Database,
  finished:
    { readonly childIds: readonly string[] } | { readonly parentIds: readonly string[] } | { readonly limit: number },
): Promise<ReleasedExecution[]> {
  // Served by waits_child, the primary key of waits, or waits_open.
  const condition =
    'childIds' in finished
      ? Prisma.sql`w.child_execution_id = ANY(${[...finished.childIds]}::uuid[])`
      : 'parentIds' in finished
        ? Prisma.sql`w.execution_id = ANY(${[...finished.parentIds]}::uuid[])`
        : Prisma.sql`w.kind = 'workflow'`;
  return db.$transaction(async (tx) => {
    const due = await tx.$queryRaw<DueWait[]>(Prisma.sql`/* executions.find-answered */
      SELECT w.execution_id AS "parentId", w.node_id AS "nodeId", w.iteration
      FROM waits w JOIN executions c ON c.id = w.child_execution_id
      WHERE ${condition} AND w.answered_at IS NULL AND w.cancelled_at IS NULL AND ${isFinished(Prisma.sql`c`)}
      LIMIT ${'limit' in finished ? finished.limit : MAX_ENDED_WAITS}`);
    if (due.length === 0) return [];
    const parentIds = due.map(({ parentId }) => parentId);
    // The parents' rows first, as in every statement that changes a run: a worker that is about to let one rest sees
    // the increased count.
    await tx.$executeRaw(Prisma.sql`/* executions.lock-parents */
      SELECT 1 FROM executions e WHERE e.id = ANY(${parentIds}::uuid[]) ${LOCK_RUNS}`);
    const ended = await tx.$queryRaw<{ parentId: string }[]>(Prisma.sql`/* executions.answer-parents */
      UPDATE waits w
      SET answered_at = now(),
          answer = json_build_object('status', c.status, 'result', c.result::json, 'error', c.error::json)::text
      FROM (
        SELECT o.execution_id, o.node_id, o.iteration, o.child_execution_id
        FROM waits o JOIN unnest(${parentIds}::uuid[], ${due.map(({ nodeId }) => nodeId)}::text[],
          ${due.map(({ iteration }) => iteration)}::text[]) AS d(execution_id, node_id, iteration)
          USING (execution_id, node_id, iteration)
        WHERE o.answered_at IS NULL AND o.cancelled_at IS NULL
        ORDER BY o.execution_id, o.node_id, o.iteration FOR UPDATE OF o
      ) open JOIN executions c ON c.id = open.child_execution_id
      WHERE w.execution_id = open.execution_id AND w.node_id = open.node_id AND w.iteration = open.iteration
      RETURNING w.execution_id AS "parentId"`);
    return continueAnswered(
      tx,
      ended.map((row) => row.parentId),
    );
  });
}
