import { DeckhandError, type InviteEntry } from '@deckhand/contracts';
import type { Invite } from '../generated/client.js';

/** Converts an invite to its entry in lists, without the hash of its token. */
export function toInviteEntry(row: Invite, now = new Date()): InviteEntry {
  return {
    id: row.id,
    workspaceId: row.workspaceId,
    email: row.email,
    role: row.role,
    state: stateOf(row, now),
    createdBy: row.createdBy,
    createdAt: row.createdAt.toISOString(),
    expiresAt: row.expiresAt.toISOString(),
    acceptedAt: row.acceptedAt?.toISOString() ?? null,
    acceptedBy: row.acceptedBy,
  };
}

function stateOf(row: Invite, now: Date): InviteEntry['state'] {
  if (row.acceptedAt !== null) return 'Accepted';
  return row.expiresAt <= now ? 'Expired' : 'Pending';
}

/** Returns the error for an invalid token, the same for unknown, used, expired and withdrawn ones. */
export function noSuchInvite(): DeckhandError {
  return new DeckhandError('NOT_FOUND', { message: 'This invite is not valid, or not any more' });
}
