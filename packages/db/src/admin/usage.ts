import { DeckhandError, type WorkspaceUsage } from '@deckhand/contracts';
import type { Actor } from '../access.js';
import type { Database } from '../client.js';
import { requireAdministrator } from './rules.js';

/**
 * Reads how much of its limits a workspace uses. Bytes that were written within the last moments may be missing:
 * maintenance adds them soon.
 * @throws DeckhandError FORBIDDEN unless the actor is an instance administrator; NOT_FOUND if there is no such
 * workspace.
 */
export async function readUsage(db: Database, actor: Actor, workspaceId: string): Promise<WorkspaceUsage> {
  await requireAdministrator(db, actor);
  const row = await db.workspace.findUnique({ where: { id: workspaceId }, select: { storedBytes: true } });
  if (!row) throw new DeckhandError('NOT_FOUND', { message: 'No such workspace' });
  return { storedBytes: Number(row.storedBytes) };
}
