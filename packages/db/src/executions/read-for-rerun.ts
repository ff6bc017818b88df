import {
  DeckhandError,
  type ExecutionMode,
  type ExecutionStatus,
  isFinished,
  isUuid,
  type Role,
  validationFailed,
} from '@deckhand/contracts';
import { type Actor, requireRoleOf } from '../access.js';
import { type Database, Prisma } from '../client.js';

/** The data of the original run that a rerun reuses. */
export interface RerunOrigin {
  readonly workflowId: string;
  /** The version of the original run. */
  readonly workflowVersionId: string;
  readonly triggerNodeId: string;
  readonly executionMode: ExecutionMode;
  /** Serialised JSON. */
  readonly triggerData: string;
}

/**
 * Reads the data for a rerun of a finished run.
 * @param version the version to run: `latest`, `active`, `original`, or the id of one.
 * @throws DeckhandError NOT_FOUND when the actor may not see it, FORBIDDEN for a viewer, EXECUTION_NOT_FINISHED,
 * TRIGGER_DATA_GONE, VALIDATION_FAILED when the version has no such node, or the run did not reach it.
 */
export async function readForRerun(
  db: Database,
  actor: Actor,
  executionId: string,
  { fromNodeId, version }: { readonly fromNodeId: string | null; readonly version: string },
): Promise<RerunOrigin> {
  const [run] = await db.$queryRaw<
    (Omit<RerunOrigin, 'triggerData'> & {
      triggerData: string | null;
      status: ExecutionStatus;
      role: Role;
      isKnownNode: boolean;
      isBegunNode: boolean;
    })[]
  >(Prisma.sql`
    SELECT e.workflow_id AS "workflowId", e.workflow_version_id AS "workflowVersionId", e.trigger_node_id AS "triggerNodeId",
      e.execution_mode::text AS "executionMode", e.trigger_data AS "triggerData", e.status::text, m.role::text,
      coalesce((v.definition -> 'nodes')::jsonb @> jsonb_build_array(jsonb_build_object('id', ${fromNodeId}::text)), false) AS "isKnownNode",
      EXISTS (
        SELECT 1 FROM node_runs n
        WHERE n.execution_id = e.id AND n.node_id = ${fromNodeId} AND n.started_at IS NOT NULL
      ) AS "isBegunNode"
    FROM executions e
    JOIN memberships m ON m.workspace_id = e.workspace_id AND m.user_id = ${actor.userId}::uuid
    LEFT JOIN workflows w ON w.id = e.workflow_id
    LEFT JOIN workflow_versions v ON v.workflow_id = w.id AND v.id = CASE ${version}::text
      WHEN 'latest' THEN w.latest_version_id WHEN 'active' THEN w.active_version_id
      WHEN 'original' THEN e.workflow_version_id ELSE ${isUuid(version) ? version : null}::uuid END
    WHERE e.id = ${executionId}::uuid
      AND (${actor.boundTo}::uuid IS NULL OR e.workspace_id = ${actor.boundTo}::uuid)`);
  if (!run) throw new DeckhandError('NOT_FOUND', { message: 'There is no such run' });
  requireRoleOf(run.role, 'editor');
  if (!isFinished(run.status)) throw new DeckhandError('EXECUTION_NOT_FINISHED');
  const { workflowId, workflowVersionId, triggerNodeId, executionMode, triggerData } = run;
  if (triggerData === null) throw new DeckhandError('TRIGGER_DATA_GONE');
  if (fromNodeId !== null && !run.isKnownNode) throw badNode(`"${fromNodeId}" is no node of the version`);
  if (fromNodeId !== null && !run.isBegunNode) throw badNode(`the run did not come to "${fromNodeId}"`);
  return { workflowId, workflowVersionId, triggerNodeId, executionMode, triggerData };
}

function badNode(message: string): DeckhandError {
  return validationFailed([{ path: 'fromNodeId', message }]);
}

/** Whether a run still has its trigger data; retention deletes that and all outputs in one statement. */
export async function hasTriggerData(db: Database, executionId: string): Promise<boolean> {
  const rows = await db.$queryRaw<unknown[]>(Prisma.sql`
    SELECT 1 FROM executions WHERE id = ${executionId}::uuid AND trigger_data IS NOT NULL`);
  return rows.length > 0;
}
