import type { Actor } from '../access.js';
import { recordChange } from '../audit/record.js';
import type { Database } from '../client.js';
import { lockMembers, memberRole, requireAnotherOwner, requireOwnerFor } from './rules.js';

/**
 * Removes a member. @throws DeckhandError NOT_FOUND; FORBIDDEN below the role admin, and for an owner unless the actor
 * is one; INVALID_STATE for the last owner.
 */
export function removeMember(db: Database, actor: Actor, workspaceId: string, userId: string): Promise<void> {
  return db.$transaction(async (tx) => {
    const actorRole = await lockMembers(tx, actor, workspaceId, 'admin');
    const role = await memberRole(tx, workspaceId, userId);
    requireOwnerFor(actorRole, role);
    if (role === 'owner') await requireAnotherOwner(tx, workspaceId, userId);
    await tx.membership.delete({ where: { workspaceId_userId: { workspaceId, userId } } });
    await recordChange(tx, actor, { action: 'member.remove', workspaceId, resourceId: userId, details: { role } });
  });
}

/**
 * Removes the actor from a workspace. @throws DeckhandError NOT_FOUND for no member; INVALID_STATE for the last owner.
 */
export function leaveWorkspace(db: Database, actor: Actor, workspaceId: string): Promise<void> {
  const { userId } = actor;
  return db.$transaction(async (tx) => {
    const role = await lockMembers(tx, actor, workspaceId, 'viewer');
    if (role === 'owner') await requireAnotherOwner(tx, workspaceId, userId);
    await tx.membership.delete({ where: { workspaceId_userId: { workspaceId, userId } } });
    await recordChange(tx, actor, { action: 'member.leave', workspaceId, resourceId: userId, details: { role } });
  });
}
