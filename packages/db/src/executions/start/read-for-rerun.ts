import {
  type ErrorCode,
  type ExecutionMode,
  type ExecutionStatus,
  isFinished,
  isUuid,
  type JsonObject,
  type JsonValue,
  roleMay,
  type NodeStatus,
  parseOwnJson,
  type Role,
  type StartOptions,
} from '@deckhand/contracts';
import { type Actor, memberMay, needsPermission } from '../../access.ts';
import { type Database, Prisma, type Queryable } from '../../client.ts';
import { isRun } from '../../batch.ts';

/** The data of the original run that a rerun reuses. */
export interface RerunOrigin {
  readonly kind: 'origin';
  readonly workflowId: string;
  /** The version of the original run. */
  readonly workflowVersionId: string;
  /** The version that is chosen for the rerun; null if there is none. */
  readonly chosenVersionId: string | null;
  readonly triggerNodeId: string;
  readonly executionMode: ExecutionMode;
  /** Serialised JSON. */
  readonly triggerData: string;
  /** Its tags and metadata, and the key under which it was limited. */
  readonly options: Pick<StartOptions, 'tags' | 'metadata' | 'concurrency'>;
}

/** Why a run cannot be rerun. */
export interface RerunRefusal {
  readonly kind: 'refused';
  readonly code: ErrorCode;
  /** Without one, that of the code. */
  readonly message?: string;
  /** The field of the request that is not valid. */
  readonly path?: string;
}

/** A run to be rerun. */
export interface RerunSource {
  readonly executionId: string;
  /** The node that the rerun starts from; null for the trigger. */
  readonly fromNodeId: string | null;
}

interface Row {
  readonly id: string;
  readonly fromNodeId: string | null;
  readonly workflowId: string;
  readonly workflowVersionId: string;
  readonly chosenVersionId: string | null;
  readonly triggerNodeId: string;
  readonly executionMode: ExecutionMode;
  readonly triggerData: string | null;
  readonly tags: string[] | null;
  readonly metadata: JsonObject | null;
  readonly concurrencyKey: string | null;
  readonly concurrencyLimit: number | null;
  readonly status: ExecutionStatus;
  readonly role: Role;
  readonly isKnownNode: boolean;
  readonly isBegunNode: boolean;
  /** Whether it has outputs that mocks gave, its own or those of a run whose outputs it reused. */
  readonly isMocked: boolean;
}

/** How runs are rerun. */
export interface RerunChoice {
  /** The version to run: `latest`, `active`, `original`, or the id of one. */
  readonly version: string;
  /** Whether `active` is the original version where the workflow has no active one. */
  readonly hasOriginalForActive?: boolean;
  /** Whether the rerun may start at a node that the run did not reach. */
  readonly mayStartAnywhere?: boolean;
  /** The mode of the rerun; undefined for that of the original. */
  readonly mode?: ExecutionMode | undefined;
}

/** Reads the data for a rerun of a finished run, in the same way as `readManyForRerun`. */
export async function readForRerun(
  db: Database,
  actor: Actor,
  executionId: string,
  { fromNodeId, ...choice }: RerunChoice & { readonly fromNodeId: string | null },
): Promise<RerunOrigin | RerunRefusal> {
  const origins = await readManyForRerun(db, actor, [{ executionId, fromNodeId }], choice);
  return origins.get(executionId.toLowerCase()) ?? refuse('NOT_FOUND', 'There is no such run');
}

/**
 * Reads the data for reruns of finished runs. @returns by the id of the run, the data or why it cannot be rerun:
 * FORBIDDEN without the permission, EXECUTION_NOT_FINISHED, TRIGGER_DATA_GONE, VALIDATION_FAILED when the version has
 * no such node, the run did not reach it, or its outputs come from the mode sandbox and the rerun has another. Runs
 * that the actor may not see are left out.
 */
export async function readManyForRerun(
  db: Queryable,
  actor: Actor,
  sources: readonly RerunSource[],
  { version, hasOriginalForActive = false, ...choice }: RerunChoice,
): Promise<Map<string, RerunOrigin | RerunRefusal>> {
  const rows = await db.$queryRaw<Row[]>(Prisma.sql`
    SELECT e.id, asked.from_node_id AS "fromNodeId", e.workflow_id AS "workflowId",
      e.workflow_version_id AS "workflowVersionId", v.id AS "chosenVersionId", e.trigger_node_id AS "triggerNodeId",
      e.execution_mode::text AS "executionMode", e.trigger_data AS "triggerData", e.tags, e.metadata,
      e.concurrency_key AS "concurrencyKey", e.concurrency_limit::int AS "concurrencyLimit", e.status::text, m.role::text,
      coalesce((v.definition -> 'nodes')::jsonb @> jsonb_build_array(jsonb_build_object('id', asked.from_node_id)), false) AS "isKnownNode",
      EXISTS (
        SELECT 1 FROM node_runs n
        WHERE n.execution_id = e.id AND n.node_id = asked.from_node_id AND n.started_at IS NOT NULL
      ) AS "isBegunNode",
      asked.from_node_id IS NOT NULL AND (e.mocks IS NOT NULL OR e.has_mocked IS TRUE) AS "isMocked"
    FROM unnest(
      ${sources.map(({ executionId }) => executionId)}::uuid[], ${sources.map(({ fromNodeId }) => fromNodeId)}::text[]
    ) AS asked (id, from_node_id)
    JOIN executions e ON e.id = asked.id
    JOIN memberships m ON m.workspace_id = e.workspace_id AND m.user_id = ${actor.userId}::uuid AND ${memberMay('runs.read')}
    LEFT JOIN workflows w ON w.id = e.workflow_id
    LEFT JOIN workflow_versions v ON v.workflow_id = w.id AND v.id = CASE ${version}::text
      WHEN 'latest' THEN w.latest_version_id
      WHEN 'active' THEN coalesce(w.active_version_id, CASE WHEN ${hasOriginalForActive}::boolean THEN e.workflow_version_id END)
      WHEN 'original' THEN e.workflow_version_id ELSE ${isUuid(version) ? version : null}::uuid END
    WHERE ${actor.boundTo}::uuid IS NULL OR e.workspace_id = ${actor.boundTo}::uuid`);
  return new Map(rows.map((row) => [row.id, toOrigin(row, choice)]));
}

function toOrigin(
  run: Row,
  { mayStartAnywhere = false, mode = run.executionMode }: Pick<RerunChoice, 'mayStartAnywhere' | 'mode'>,
): RerunOrigin | RerunRefusal {
  const { workflowId, workflowVersionId, chosenVersionId } = run;
  const { triggerNodeId, executionMode, triggerData, fromNodeId } = run;
  if (!roleMay(run.role, 'runs.start')) return refuse('FORBIDDEN', needsPermission('runs.start'));
  if (run.isMocked && !roleMay(run.role, 'runs.test')) return refuse('FORBIDDEN', needsPermission('runs.test'));
  if (!isFinished(run.status)) return refuse('EXECUTION_NOT_FINISHED');
  if (triggerData === null) return refuse('TRIGGER_DATA_GONE');
  if (fromNodeId !== null && !run.isKnownNode) return badNode(`"${fromNodeId}" is not a node of the version`);
  if (fromNodeId !== null && !run.isBegunNode && !mayStartAnywhere)
    return badNode(`the run did not come to "${fromNodeId}"`);
  // In sandbox mode, nodes that ask people decide by themselves: with effects, nobody would have decided.
  if (fromNodeId !== null && executionMode === 'sandbox' && mode !== 'sandbox')
    return badNode('is for the mode sandbox, as the run: its outputs are examples. Leave it out to run all nodes');
  const { concurrencyKey: key, concurrencyLimit } = run;
  // Someone wants this rerun: it waits for its turn, whatever the original would have done.
  const concurrency = key === null ? undefined : { key, limit: concurrencyLimit ?? 1 };
  const options = { tags: run.tags ?? undefined, metadata: run.metadata ?? undefined, concurrency };
  return {
    kind: 'origin',
    ...{ workflowId, workflowVersionId, chosenVersionId, triggerNodeId, executionMode, triggerData, options },
  };
}

/** Returns why the data of a run cannot be used for another one. @param message by default that of the code. */
export function refuse(code: ErrorCode, message?: string): RerunRefusal {
  return { kind: 'refused', code, ...(message !== undefined && { message }) };
}

function badNode(message: string): RerunRefusal {
  return { ...refuse('VALIDATION_FAILED', message), path: 'fromNodeId' };
}

/**
 * Returns the version of a run that still has its trigger data; undefined for another. Retention deletes that and all
 * outputs in one statement.
 */
export async function readVersionWithData(db: Database, executionId: string): Promise<string | undefined> {
  const [row] = await db.$queryRaw<{ versionId: string }[]>(Prisma.sql`
    SELECT workflow_version_id AS "versionId" FROM executions
    WHERE id = ${executionId}::uuid AND trigger_data IS NOT NULL`);
  return row?.versionId;
}

/** Reads the nodes of a run that failed in an iteration of a loop, in the order of their ids. */
export async function readNodesWithFailedIterations(db: Queryable, executionId: string): Promise<string[]> {
  // Served by the primary key.
  const rows = await db.$queryRaw<{ nodeId: string }[]>(Prisma.sql`
    SELECT node_id AS "nodeId" FROM node_runs
    WHERE ${isRun(Prisma.sql`execution_id`, executionId)} AND iterations IS NOT NULL AND iteration_counts::jsonb ? 'failed'
    ORDER BY node_id`);
  return rows.map(({ nodeId }) => nodeId);
}

/** The way that a run took through a node, without data. */
export interface StoredWay {
  readonly nodeId: string;
  /** "" outside loops. */
  readonly iteration: string;
  readonly status: NodeStatus;
  readonly handle: string | null;
  readonly state: JsonValue | undefined;
}

/** Reads the ways that a finished run took, to find out whether a rerun of it comes to a node. */
export async function readWays(db: Queryable, executionId: string): Promise<StoredWay[]> {
  // A rerun may continue a node that was stopped when its source run ended.
  const columns = Prisma.sql`node_id AS "nodeId", CASE status WHEN 'stopped' THEN 'running' ELSE status::text END AS status, handle, state`;
  // Both are served by their primary keys.
  const rows = await db.$queryRaw<(Omit<StoredWay, 'state'> & { readonly state: string | null })[]>(Prisma.sql`
    /* executions.read-ways */
    SELECT ${columns}, '' AS iteration FROM node_runs
    WHERE ${isRun(Prisma.sql`execution_id`, executionId)} AND iterations IS NULL
    UNION ALL
    SELECT ${columns}, iteration FROM node_iterations WHERE ${isRun(Prisma.sql`execution_id`, executionId)}`);
  return rows.map(({ state, ...way }) => ({ ...way, state: state === null ? undefined : parseOwnJson(state) }));
}
