import { type Database, Prisma, type Queryable } from '../client.js';
import { IS_HELD } from '../executions/run-status.js';
import { LOCK_RUNS } from '../lock-order.js';
import { IS_HELD_BACK } from './demand.js';

/**
 * Lets runs count that were claimed before their workspace or workflow had a limit.
 * @param of only these runs; all that are held without it.
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

/** How many runs of all workspaces wait for others to end, because of a limit of runs at once. */
export async function countHeldBack(db: Database): Promise<number> {
  // Served by executions_held_back.
  const [row] = await db.$queryRaw<{ runs: number }[]>(Prisma.sql`
    SELECT count(*)::int AS runs FROM executions e WHERE ${IS_HELD_BACK}`);
  return row?.runs ?? 0;
}
