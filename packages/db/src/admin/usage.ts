import { DeckhandError, type WorkspaceUsage } from '@deckhand/contracts';
import type { Actor } from '../access.js';
import type { Database } from '../client.js';
import { requireAdministrator } from './rules.js';

/**
 * What a workspace uses of what it is allowed. Bytes that were written within the last moments may be missing: they are
 * folded in soon.
 * @throws DeckhandError FORBIDDEN for no instance administrator; NOT_FOUND when there is no such workspace.
 */
export async function readUsage(db: Database, actor: Actor, workspaceId: string): Promise<WorkspaceUsage> {
  await requireAdministrator(db, actor);
  const row = await db.workspace.findUnique({ where: { id: workspaceId }, select: { storedBytes: true } });
  if (!row) throw new DeckhandError('NOT_FOUND', { message: 'No such workspace' });
  return { storedBytes: Number(row.storedBytes) };
}
