import { type Actor, requireRole, visibleWorkspace } from '../access.js';
import { recordChange } from '../audit/record.js';
import type { Database } from '../client.js';
import { findCredential, noSuchCredential } from './read.js';

/**
 * Deletes a credential. Its owner and admins of the workspace may delete a private one.
 * @throws DeckhandError NOT_FOUND when the actor may not see it; FORBIDDEN.
 */
export function deleteCredential(db: Database, actor: Actor, id: string): Promise<void> {
  return db.$transaction(async (tx) => {
    const { workspaceId, name, visibility, ownerId } = await findCredential(tx, actor, id, 'editor');
    if (visibility === 'private' && ownerId !== actor.userId) await requireRole(tx, actor, workspaceId, 'admin');
    const where = { id, workspace: visibleWorkspace(actor, 'editor') };
    const { count } = await tx.credential.deleteMany({ where });
    if (count === 0) throw noSuchCredential();
    const details = { name };
    await recordChange(tx, actor, { action: 'credential.delete', workspaceId, resourceId: id, details });
  });
}
