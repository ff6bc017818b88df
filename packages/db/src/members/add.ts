import { type AddMemberBody, DeckhandError, type MemberEntry } from '@deckhand/contracts';
import type { Actor } from '../access.js';
import { recordChange } from '../audit/record.js';
import type { Database } from '../client.js';
import { toMemberEntry, WITH_USER } from './entry.js';
import { lockMembers, requireOwnerFor } from './rules.js';

/**
 * Adds a person who has an account as a member.
 * @throws DeckhandError NOT_FOUND when the actor may not see the workspace or no account has that e-mail; FORBIDDEN
 * below the role admin, and for the role owner unless the actor is an owner; CONFLICT for a member.
 */
export function addMember(
  db: Database,
  actor: Actor,
  workspaceId: string,
  { email, role }: AddMemberBody,
): Promise<MemberEntry> {
  return db.$transaction(async (tx) => {
    requireOwnerFor(await lockMembers(tx, actor, workspaceId, 'admin'), role);
    const user = await tx.user.findUnique({ where: { email: email.toLowerCase() }, select: { id: true } });
    if (!user) throw new DeckhandError('NOT_FOUND', { message: 'Nobody here has this e-mail address: send an invite' });
    const key = { workspaceId, userId: user.id };
    if (await tx.membership.findUnique({ where: { workspaceId_userId: key } })) {
      throw new DeckhandError('CONFLICT', { message: 'This person is a member already' });
    }
    const row = await tx.membership.create({ data: { ...key, role }, include: WITH_USER });
    await recordChange(tx, actor, { action: 'member.add', workspaceId, resourceId: user.id, details: { role } });
    return toMemberEntry(row);
  });
}
