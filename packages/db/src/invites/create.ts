import { v7 as uuidv7 } from 'uuid';
import type { InviteEntry, Role } from '@deckhand/contracts';
import type { Actor } from '../access.js';
import { recordChange } from '../audit/record.js';
import type { Database } from '../client.js';
import { lockMembers, requireOwnerFor } from '../members/rules.js';
import { toInviteEntry } from './entry.js';

/** How long an invite may be accepted, in ms: 7 days. */
const INVITE_LIFETIME_MS = 7 * 24 * 60 * 60 * 1_000;

/** An invite to store: the hash of its token, never the token. */
export interface NewInvite {
  readonly workspaceId: string;
  /** The e-mail address that it is for; null for anybody with the link. */
  readonly email: string | null;
  readonly role: Role;
  readonly tokenHash: string;
}

/**
 * Stores an invite. @throws DeckhandError NOT_FOUND when the actor may not see the workspace; FORBIDDEN below the role
 * admin, and for the role owner unless the actor is an owner.
 */
export function createInvite(db: Database, actor: Actor, invite: NewInvite): Promise<InviteEntry> {
  const { workspaceId, role, tokenHash } = invite;
  const email = invite.email?.toLowerCase() ?? null;
  return db.$transaction(async (tx) => {
    requireOwnerFor(await lockMembers(tx, actor, workspaceId, 'admin'), role);
    const expiresAt = new Date(Date.now() + INVITE_LIFETIME_MS);
    const row = await tx.invite.create({
      data: { id: uuidv7(), workspaceId, email, role, tokenHash, createdBy: actor.userId, expiresAt },
    });
    const details = { email, role };
    await recordChange(tx, actor, { action: 'invite.create', workspaceId, resourceId: row.id, details });
    return toInviteEntry(row);
  });
}
