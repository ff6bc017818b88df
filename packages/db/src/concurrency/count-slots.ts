import { type Database, Prisma, type Queryable } from '../client.ts';
import { IS_HELD } from '../executions/run-status.ts';
import { LOCK_RUNS } from '../lock-order.ts';
import { IS_HELD_BACK } from './demand.ts';

/**
 * Counts runs towards a limit that was set after they were claimed.
 * @param of the workspace or workflow of the runs; all held runs without it.
 */
export async function countHeldRuns(
  tx: Queryable,
  of?: { readonly workspaceId: string } | { readonly workflowId: string },
): Promise<void> {
  const condition =
    of === undefined
      ? Prisma.sql`true`
      : 'workspaceId' in of
        ? Prisma.sql`e.workspace_id = ${of.workspaceId}::uuid`
        : Prisma.sql`e.workflow_id = ${of.workflowId}::uuid`;
  // Served by executions_held, which contains only runs that a worker holds.
  await tx.$executeRaw(Prisma.sql`
    UPDATE executions SET holds_slot = true
    WHERE id IN (
      SELECT e.id FROM executions e
      WHERE ${IS_HELD} AND NOT e.holds_slot AND ${condition}
        AND (EXISTS (SELECT 1 FROM workspaces s WHERE s.id = e.workspace_id AND s.max_concurrent_executions IS NOT NULL)
          OR EXISTS (SELECT 1 FROM workflows f WHERE f.id = e.workflow_id AND f.max_concurrent_executions IS NOT NULL))
      ${LOCK_RUNS})
      AND worker_id IS NOT NULL`);
}

/** Returns the number of runs, of all workspaces, that a limit of concurrent runs holds back. */
export async function countHeldBack(db: Database): Promise<number> {
  // Served by executions_held_back.
  const [row] = await db.$queryRaw<{ runs: number }[]>(Prisma.sql`
    SELECT count(*)::int AS runs FROM executions e WHERE ${IS_HELD_BACK}`);
  return row?.runs ?? 0;
}

/**
 * Updates a workflow's limit of concurrent runs after a change of its status or versions, in the same transaction. The
 * limit is that of the active version while the workflow is active, otherwise of the latest. Runs that are held already
 * count immediately; running runs above a lowered limit continue.
 */
export async function syncWorkflowLimit(tx: Queryable, workflowId: string): Promise<void> {
  const [changed] = await tx.$queryRaw<{ isLimited: boolean }[]>`
    WITH of_version AS (
      SELECT w.id, (v.definition #>> '{settings,maxConcurrentExecutions}')::int AS runs
      FROM workflows w LEFT JOIN workflow_versions v
        ON v.id = CASE WHEN w.status = 'active' THEN w.active_version_id ELSE w.latest_version_id END
      WHERE w.id = ${workflowId}::uuid)
    UPDATE workflows w SET max_concurrent_executions = l.runs FROM of_version l
    WHERE w.id = l.id AND w.max_concurrent_executions IS DISTINCT FROM l.runs
    RETURNING l.runs IS NOT NULL AS "isLimited"`;
  if (changed?.isLimited === true) await countHeldRuns(tx, { workflowId });
}
