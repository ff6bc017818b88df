import { type Database, Prisma } from '../../client.ts';
import { LOCK_RUNS } from '../../lock-order.ts';
import type { Claim } from './claim.ts';
import { IS_HELD, RELEASE, RELEASED } from '../run-status.ts';

/** A run that its worker released: to be queued, or at rest. */
export interface ReleasedExecution {
  readonly workspaceId: string;
  readonly executionId: string;
  /** The new dispatch, for a job; null when the run was paused and rests. */
  readonly dispatch: number | null;
  /** Its priority in the queue; null without one. */
  readonly priority?: number | null;
}

/**
 * Releases runs that a worker holds: a running one is dispatched again for other workers, a paused one rests. A run
 * that the worker no longer owns is not changed.
 */
export async function releaseExecutions(
  db: Database,
  workerId: string,
  held: readonly (Claim & { readonly executionId: string })[],
): Promise<ReleasedExecution[]> {
  const ids = held.map((entry) => entry.executionId);
  const epochs = held.map((entry) => entry.epoch);
  const tokens = held.map((entry) => entry.token);
  return db.$queryRaw<ReleasedExecution[]>(Prisma.sql`/* executions.release */
    UPDATE executions e
    SET ${RELEASE}
    WHERE e.id IN (
      SELECT e.id FROM executions e
      JOIN unnest(${ids}::uuid[], ${epochs}::int[], ${tokens}::uuid[]) AS h(id, epoch, token)
        ON e.id = h.id AND e.epoch = h.epoch AND e.claim_token = h.token AND e.worker_id = ${workerId}::uuid
      WHERE ${IS_HELD} ${LOCK_RUNS})
    RETURNING ${RELEASED}`);
}
