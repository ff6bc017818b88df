import { type Actor, visibleWorkspace } from '../access.js';
import { recordChange } from '../audit/record.js';
import type { Database } from '../client.js';
import { findCredential, noSuchCredential } from './read.js';

/**
 * Deletes a credential.
 * @throws DeckhandError NOT_FOUND when the actor may not see it; FORBIDDEN below the role editor.
 */
export function deleteCredential(db: Database, actor: Actor, id: string): Promise<void> {
  return db.$transaction(async (tx) => {
    const { workspaceId, name } = await findCredential(tx, actor, id, 'editor');
    const where = { id, workspace: visibleWorkspace(actor, 'editor') };
    const { count } = await tx.credential.deleteMany({ where });
    if (count === 0) throw noSuchCredential();
    const details = { name };
    await recordChange(tx, actor, { action: 'credential.delete', workspaceId, resourceId: id, details });
  });
}
