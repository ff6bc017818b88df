import type { WorkspaceEntry } from '@deckhand/contracts';
import { type Actor, visibleWorkspace } from '../access.js';
import type { Database } from '../client.js';
import { findWorkspace } from './read.js';

/**
 * Renames a workspace.
 * @throws DeckhandError NOT_FOUND when the actor may not see it; FORBIDDEN below the role admin.
 */
export async function renameWorkspace(db: Database, actor: Actor, id: string, name: string): Promise<WorkspaceEntry> {
  // The condition repeats the role, so that one who is demoted meanwhile changes nothing.
  await db.workspace.updateMany({ where: { AND: [{ id }, visibleWorkspace(actor, 'admin')] }, data: { name } });
  return findWorkspace(db, actor, id, 'admin');
}
