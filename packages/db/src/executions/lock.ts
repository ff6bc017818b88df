import { DeckhandError, type ExecutionStatus, type Permission, type Role } from '@deckhand/contracts';
import { type Actor, isHidden, requirePermissionOf } from '../access.ts';
import { Prisma, type Queryable } from '../client.ts';

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

const LOCKED = Prisma.sql`e.id, e.workspace_id AS "workspaceId", e.status::text, e.worker_id AS "workerId", e.dispatch,
  e.claimed_dispatch AS "claimedDispatch"`;

/** Locks a run whose wait the holder of a link answers. @throws DeckhandError NOT_FOUND if there is none any more. */
export async function lockLinkedExecution(
  tx: Queryable,
  executionId: string,
): Promise<LockedExecution & { readonly role: null }> {
  const [found] = await tx.$queryRaw<LockedExecution[]>(Prisma.sql`
    SELECT ${LOCKED} FROM executions e JOIN workspaces w ON w.id = e.workspace_id
    WHERE e.id = ${executionId}::uuid
    FOR UPDATE OF e`);
  if (!found) throw noSuchRun();
  return { ...found, role: null };
}

/**
 * Locks a run that the actor wants to change.
 * @param seenBy the permission without which the run does not exist for the actor.
 * @throws DeckhandError NOT_FOUND when the actor may not see it, FORBIDDEN when its role lacks the permission.
 */
export async function lockExecution(
  tx: Queryable,
  actor: Actor,
  executionId: string,
  permission: Permission,
  seenBy: Permission = 'runs.read',
): Promise<LockedExecution & { readonly role: Role }> {
  const [found] = await tx.$queryRaw<(LockedExecution & { role: Role })[]>(Prisma.sql`
    SELECT ${LOCKED}, m.role::text
    FROM executions e
    JOIN memberships m ON m.workspace_id = e.workspace_id AND m.user_id = ${actor.userId}::uuid
    WHERE e.id = ${executionId}::uuid
      AND (${actor.boundTo}::uuid IS NULL OR e.workspace_id = ${actor.boundTo}::uuid)
    FOR UPDATE OF e`);
  if (!found || isHidden(found.role, permission, seenBy)) throw noSuchRun();
  requirePermissionOf(found.role, permission);
  return found;
}

function noSuchRun(): DeckhandError {
  return new DeckhandError('NOT_FOUND', { message: 'There is no such run' });
}
