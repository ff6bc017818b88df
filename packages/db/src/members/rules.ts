import { DeckhandError, type Role } from '@deckhand/contracts';
import type { Actor } from '../access.js';
import type { Queryable } from '../client.js';
import { lockWorkspace } from '../workspaces/lock.js';
import { findWorkspace } from '../workspaces/read.js';

/**
 * Locks the members of a workspace: what is read afterwards stays true until the transaction ends.
 * @returns the actor's role.
 * @throws DeckhandError NOT_FOUND when the actor may not see the workspace; FORBIDDEN when the role is too low.
 */
export async function lockMembers(tx: Queryable, actor: Actor, workspaceId: string, needed: Role): Promise<Role> {
  await lockWorkspace(tx, workspaceId);
  const { role } = await findWorkspace(tx, actor, workspaceId, needed);
  return role;
}

/** Returns the role of a member. @throws DeckhandError NOT_FOUND for no member. */
export async function memberRole(tx: Queryable, workspaceId: string, userId: string): Promise<Role> {
  const where = { workspaceId_userId: { workspaceId, userId } };
  const member = await tx.membership.findUnique({ where, select: { role: true } });
  if (!member) throw new DeckhandError('NOT_FOUND', { message: 'No such member' });
  return member.role;
}

/** Checks that only owners grant and revoke the role owner. @throws DeckhandError FORBIDDEN. */
export function requireOwnerFor(actorRole: Role, ...roles: readonly Role[]): void {
  if (actorRole !== 'owner' && roles.includes('owner')) {
    throw new DeckhandError('FORBIDDEN', { message: 'Only owners may do this to or for an owner' });
  }
}

/**
 * Checks, with the members locked, that an owner who goes is not the last one. @throws DeckhandError INVALID_STATE for
 * the last one.
 */
export async function requireAnotherOwner(tx: Queryable, workspaceId: string, userId: string): Promise<void> {
  const others = await tx.membership.count({ where: { workspaceId, role: 'owner', userId: { not: userId } } });
  if (others === 0) {
    throw new DeckhandError('INVALID_STATE', { message: 'A workspace needs an owner, and this is the last one' });
  }
}
