import { DeckhandError, type InviteEntry } from '@deckhand/contracts';
import type { Invite } from '../generated/client.js';

/** An invite as lists show it: never its token's hash. */
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

/** The refusal of a token: unknown, used, expired and withdrawn are alike. */
export function noSuchInvite(): DeckhandError {
  return new DeckhandError('NOT_FOUND', { message: 'This invite is not valid, or not any more' });
}
