import { type CredentialEntry, DeckhandError, type Role } from '@deckhand/contracts';
import { type Actor, requireRole, visibleWorkspace } from '../access.js';
import type { Database, Queryable } from '../client.js';
import { SHOWN, toCredentialEntry } from './entry.js';

/** Reads a credential, without its secret. @throws DeckhandError NOT_FOUND when the actor may not see it. */
export function readCredential(db: Database, actor: Actor, id: string): Promise<CredentialEntry> {
  return findCredential(db, actor, id, 'viewer');
}

/**
 * Finds a credential for an actor who needs a role in its workspace.
 * @throws DeckhandError NOT_FOUND when the actor may not see it; FORBIDDEN when the role is too low.
 */
export async function findCredential(db: Queryable, actor: Actor, id: string, needed: Role): Promise<CredentialEntry> {
  const row = await db.credential.findFirst({ where: { id, workspace: visibleWorkspace(actor) }, select: SHOWN });
  if (!row) throw noSuchCredential();
  if (needed !== 'viewer') await requireRole(db, actor, row.workspaceId, needed);
  return toCredentialEntry(row);
}

/** Returns the error for a credential that does not exist or is not visible. */
export function noSuchCredential(): DeckhandError {
  return new DeckhandError('NOT_FOUND', { message: 'No such credential' });
}
