import { DeckhandError, type ExecutionStatus, type Role } from '@deckhand/contracts';
import { type Actor, requireRoleOf } from '../access.js';
import { Prisma, type Queryable } from '../client.js';

/** A run whose row this transaction has locked: nothing changes it until the transaction ends. */
export interface LockedExecution {
  readonly id: string;
  readonly workspaceId: string;
  readonly status: ExecutionStatus;
  /** The worker that runs it; null if none does. */
  readonly workerId: string | null;
  readonly dispatch: number;
  readonly claimedDispatch: number;
}

/**
 * Locks a run that the actor wants to change.
 * @throws DeckhandError NOT_FOUND when the actor may not see it, FORBIDDEN for a viewer.
 */
export async function lockExecution(tx: Queryable, actor: Actor, executionId: string): Promise<LockedExecution> {
  const [found] = await tx.$queryRaw<(LockedExecution & { role: Role })[]>(Prisma.sql`
    SELECT e.id, e.workspace_id AS "workspaceId", e.status::text, e.worker_id AS "workerId", e.dispatch,
      e.claimed_dispatch AS "claimedDispatch", m.role::text
    FROM executions e
    JOIN memberships m ON m.workspace_id = e.workspace_id AND m.user_id = ${actor.userId}::uuid
    WHERE e.id = ${executionId}::uuid
      AND (${actor.boundTo}::uuid IS NULL OR e.workspace_id = ${actor.boundTo}::uuid)
    FOR UPDATE OF e`);
  if (!found) throw new DeckhandError('NOT_FOUND', { message: 'There is no such run' });
  requireRoleOf(found.role, 'editor');
  return found;
}
