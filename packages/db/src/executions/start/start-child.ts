import { concurrencyOf, parseOwnJson } from '@deckhand/contracts';
import { type Database, Prisma, type Queryable } from '../../client.ts';
import { type KeyedStart, startInTransaction, startWithinKey } from '../../concurrency/keys.ts';
import { queryWithRawParameters } from '../../connection.ts';
import { namingFilesOf } from '../../files.ts';
import { isUnfinished } from '../run-status.ts';
import {
  isChosenVersion,
  needsCheck,
  needsKey,
  OPTION_COLUMNS,
  optionBytes,
  optionDeadline,
  optionTimeLeft,
  optionValues,
} from './admission.ts';
import { type Counted, settleStart, type StartLimits, type Unsettled } from './settle-starts.ts';
import type { ChosenVersion, InvalidInput, RateLimited } from './start-request.ts';

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
}

/** The child was started, also if by an earlier attempt. */
export interface ChildStarted {
  readonly kind: 'started';
  readonly workspaceId: string;
  /** The job to be queued. */
  readonly dispatch: number;
  /** What a limit by a key did; undefined for a run without one. */
  readonly underKey?: KeyedStart;
}

/** Why a child was not started. `limitReached`: the concurrency limit of its key is reached. */
export interface ChildRefusal {
  readonly kind:
    'notFound' | 'noVersion' | 'noTrigger' | 'tooDeep' | 'tooMany' | 'overQuota' | 'parentGone' | 'limitReached';
}

/** What became of a request to start a child. */
export type ChildOutcome = ChildStarted | ChildRefusal | RateLimited | InvalidInput;

type ChildVerdict = ChildStarted | ChildRefusal | Unsettled;

/** A row of the result. */
interface ChildRow {
  readonly verdict: Exclude<ChildVerdict['kind'], 'parentGone' | 'limitReached'>;
  readonly workspaceId: string;
  readonly executionsPerMinute: number | null;
  /** Null if the child existed before. */
  readonly dispatch: number | null;
  /** Serialised, of the workflow; null unless the child needs its key. */
  readonly concurrency: string | null;
  readonly workflowVersionId: string | null;
  readonly triggerNodeId: string | null;
  /** Serialised, of the trigger; null unless the input has to be checked. */
  readonly inputSchema: string | null;
}

/**
 * Who was involved in the runs above a child, for four eyes, beside their starter, which it inherits: also whoever
 * saved their versions, which choose its workflow and its input. Served by the primary key of versions.
 */
const INVOLVED = Prisma.sql`(
          SELECT array_agg(DISTINCT p.id)
          FROM unnest(array_append(involved, (SELECT o.created_by FROM workflow_versions o WHERE o.id = parent_version_id))) AS p (id)
          WHERE p.id IS NOT NULL)`;

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
 * @param attempt runs a write of the child, perhaps several times, and limits how many with a key run at the same time.
 */
export function startChild(
  db: Database,
  request: ChildRequest,
  limits: StartLimits,
  attempt: ChildAttempt = (_, write) => write(),
): Promise<ChildOutcome> {
  return settleStart(request, (asked) => attempt(asked, () => writeChild(db, asked)), limits);
}

/** Runs a write of a child. */
export type ChildAttempt = <V>(request: ChildRequest, write: () => Promise<V>) => Promise<V>;

async function writeChild(db: Database, request: Counted<ChildRequest>): Promise<ChildVerdict> {
  const concurrency = concurrencyOf(request.options);
  if (!concurrency) return insertChild(db, request);
  const { executionId, workflowId, parentExecutionId: parentId } = request;
  const run = { executionId, workflowId, parentId, concurrency };
  const result = await startInTransaction(db, (tx) =>
    startWithinKey(
      tx,
      run,
      () => insertChild(tx, request),
      ({ kind }) => kind === 'started',
    ),
  );
  if (result.kind === 'limitReached') return result;
  return result.kind === 'accepted' && result.verdict.kind === 'started'
    ? { ...result.verdict, underKey: result.start }
    : result.verdict;
}

async function insertChild(db: Queryable, request: Counted<ChildRequest>): Promise<ChildVerdict> {
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
      SELECT p.id AS parent_id, p.workspace_id, p.execution_mode, p.depth, p.deadline_at, p.trace_parent, p.error_of, p.started_by, p.involved, p.workflow_version_id AS parent_version_id, p.status AS parent_status, coalesce(p.paused_with, p.id) AS paused_by, v.id AS version_id,
        ${optionDeadline(options)} AS own_deadline_at, ${optionTimeLeft(options)} AS time_left_ms,
        v.trigger_node_ids, ws.executions_per_minute, v.concurrency, v.input_schemas,
        CASE
          WHEN EXISTS (SELECT 1 FROM executions e WHERE e.id = ${request.executionId}::uuid) THEN 'repeated'
          WHEN w.id IS NULL THEN 'notFound'
          WHEN v.id IS NULL THEN 'noVersion'
          WHEN cardinality(v.trigger_node_ids) = 0 THEN 'noTrigger'
          WHEN p.depth >= ${MAX_DEPTH} THEN 'tooDeep'
          WHEN ${needsCheck(Prisma.sql`${request.checkedVersionId ?? null}::uuid`, Prisma.sql`v.trigger_node_ids[1]`)} THEN 'needsCheck'
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
        stored_bytes, trace_parent, error_of, started_by, involved, status, paused_with, ${OPTION_COLUMNS}
      )
      SELECT ${request.executionId}::uuid, workspace_id, ${request.workflowId}::uuid, version_id, execution_mode, 'workflow',
        trigger_node_ids[1], ${request.triggerData}, parent_id, ${request.parentNodeId}, depth + 1, now(), now(),
        least(deadline_at, own_deadline_at), time_left_ms,
        octet_length(${request.triggerData}) + ${optionBytes(options)}, trace_parent, error_of, started_by, ${INVOLVED},
        CASE WHEN parent_status = 'paused' THEN 'paused'::execution_status ELSE 'pending' END,
        CASE WHEN parent_status = 'paused' THEN paused_by END, ${optionValues(options)}
      FROM admitted WHERE verdict = 'started' AND EXISTS (SELECT 1 FROM family)
      ON CONFLICT (id) DO NOTHING
      RETURNING id, workspace_id, stored_bytes, dispatch
    ), stored AS (
      INSERT INTO storage_changes (workspace_id, bytes) SELECT workspace_id, stored_bytes FROM inserted
    )${namingFilesOf([request])}
    SELECT
      CASE
        WHEN verdict = 'repeated' THEN 'started'
        WHEN verdict = 'started' AND NOT EXISTS (SELECT 1 FROM family) THEN 'tooMany'
        ELSE verdict
      END AS verdict,
      workspace_id AS "workspaceId", executions_per_minute AS "executionsPerMinute",
      (SELECT dispatch FROM inserted) AS dispatch,
      CASE verdict WHEN 'needsKey' THEN concurrency::text END AS concurrency,
      version_id AS "workflowVersionId", trigger_node_ids[1] AS "triggerNodeId",
      CASE verdict WHEN 'needsCheck' THEN (input_schemas -> trigger_node_ids[1])::text END AS "inputSchema"
    FROM admitted`,
  );
  if (!row) return { kind: 'parentGone' };
  const { verdict, workspaceId, executionsPerMinute, dispatch } = row;
  switch (verdict) {
    case 'started':
      return { kind: verdict, workspaceId, dispatch: dispatch ?? 1 };
    case 'needsCheck': {
      const { workflowVersionId, triggerNodeId, inputSchema } = row;
      return {
        kind: verdict,
        workspaceId,
        workflowVersionId: workflowVersionId ?? '',
        triggerNodeId: triggerNodeId ?? '',
        inputSchema: inputSchema ?? '{}',
      };
    }
    case 'needsKey':
      return { kind: verdict, concurrency: parseOwnJson(row.concurrency ?? '{}') };
    case 'notCounted':
      return { kind: verdict, workspaceId, executionsPerMinute: executionsPerMinute ?? 0 };
    default:
      return { kind: verdict };
  }
}
