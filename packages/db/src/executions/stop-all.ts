import { EXECUTION_TRANSITIONS } from '@deckhand/contracts';
import { Prisma, type Queryable } from '../client.js';

/**
 * Stops every unfinished run of a workflow that is about to be deleted. Raising the epoch is what makes it true: whoever
 * runs one of them can write nothing any more. Repeating it is harmless.
 * @returns the runs that were stopped, for the workers to be told.
 */
export function stopExecutionsOfWorkflow(db: Queryable, workflowId: string): Promise<string[]> {
  return stopWhere(db, Prisma.sql`workflow_id = ${workflowId}::uuid`);
}

/** Stops every unfinished run of a workspace, likewise. */
export function stopExecutionsOfWorkspace(db: Queryable, workspaceId: string): Promise<string[]> {
  return stopWhere(db, Prisma.sql`workspace_id = ${workspaceId}::uuid`);
}

async function stopWhere(db: Queryable, condition: Prisma.Sql): Promise<string[]> {
  const rows = await db.$queryRaw<{ id: string }[]>`
    UPDATE executions
    SET status = 'stopped', epoch = epoch + 1, revision = revision + 1, worker_id = NULL, wake_at = NULL,
        finished_at = now()
    WHERE ${condition} AND status = ANY (${[...EXECUTION_TRANSITIONS.stop.from]}::execution_status[])
    RETURNING id`;
  return rows.map((row) => row.id);
}
