import type { MemberEntry, Role } from '@deckhand/contracts';
import type { Actor } from '../access.js';
import { recordChange } from '../audit/record.js';
import type { Database } from '../client.js';
import { toMemberEntry, WITH_USER } from './entry.js';
import { lockMembers, memberRole, requireAnotherOwner, requireOwnerFor } from './rules.js';

/**
 * Changes a member's role. @throws DeckhandError NOT_FOUND; FORBIDDEN below the role admin, and for a change to or from
 * owner unless the actor is one; INVALID_STATE for the last owner.
 */
export function updateMember(
  db: Database,
  actor: Actor,
  workspaceId: string,
  userId: string,
  role: Role,
): Promise<MemberEntry> {
  return db.$transaction(async (tx) => {
    const actorRole = await lockMembers(tx, actor, workspaceId, 'admin');
    const from = await memberRole(tx, workspaceId, userId);
    requireOwnerFor(actorRole, from, role);
    if (from === 'owner' && role !== 'owner') await requireAnotherOwner(tx, workspaceId, userId);
    const where = { workspaceId_userId: { workspaceId, userId } };
    const row = await tx.membership.update({ where, data: { role }, include: WITH_USER });
    const details = { from, role };
    await recordChange(tx, actor, { action: 'member.update', workspaceId, resourceId: userId, details });
    return toMemberEntry(row);
  });
}
