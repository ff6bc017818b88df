import { type Database, Prisma } from '../client.js';

/** A run that its worker gave back: to be added to the queue, or at rest. */
export interface ReleasedExecution {
  readonly workspaceId: string;
  readonly executionId: string;
  /** The new dispatch, for a job; null when the run was paused and rests. */
  readonly dispatch: number | null;
}

/**
 * Gives runs back that a worker holds: a running one is dispatched again for others, a paused one rests. A run that is not
 * the worker's any more is left alone.
 */
export async function releaseExecutions(
  db: Database,
  workerId: string,
  held: readonly { readonly executionId: string; readonly epoch: number }[],
): Promise<ReleasedExecution[]> {
  const ids = held.map((entry) => entry.executionId);
  const epochs = held.map((entry) => entry.epoch);
  return db.$queryRaw<ReleasedExecution[]>(Prisma.sql`/* executions.release */
    UPDATE executions e
    SET worker_id = NULL, revision = e.revision + 1,
        dispatch = CASE WHEN e.status = 'running' THEN e.dispatch + 1 ELSE e.dispatch END,
        dispatched_at = CASE WHEN e.status = 'running' THEN now() ELSE e.dispatched_at END
    FROM unnest(${ids}::uuid[], ${epochs}::int[]) AS h(id, epoch)
    WHERE e.id = h.id AND e.epoch = h.epoch AND e.worker_id = ${workerId}::uuid AND e.status IN ('running', 'paused')
    RETURNING e.workspace_id AS "workspaceId", e.id AS "executionId", CASE WHEN e.status = 'running' THEN e.dispatch END AS dispatch`);
}
