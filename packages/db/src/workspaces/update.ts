import type { WorkspaceEntry } from '@deckhand/contracts';
import { type Actor, visibleWorkspace } from '../access.js';
import { recordChange } from '../audit/record.js';
import type { Database } from '../client.js';
import { findWorkspace } from './read.js';

/**
 * Renames a workspace.
 * @throws DeckhandError NOT_FOUND when the actor may not see it; FORBIDDEN below the role admin.
 */
export function renameWorkspace(db: Database, actor: Actor, id: string, name: string): Promise<WorkspaceEntry> {
  return db.$transaction(async (tx) => {
    const where = { AND: [{ id }, visibleWorkspace(actor, 'admin')] };
    const { count } = await tx.workspace.updateMany({ where, data: { name } });
    if (count > 0) await recordChange(tx, actor, { action: 'workspace.update', workspaceId: id, resourceId: id });
    return findWorkspace(tx, actor, id, 'admin');
  });
}
