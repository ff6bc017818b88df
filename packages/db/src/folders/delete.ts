import type { Actor } from '../access.js';
import { recordChange } from '../audit/record.js';
import type { Database } from '../client.js';
import { lockTreeOf, noSuchFolder } from './entry.js';

/**
 * Deletes a folder and its subfolders; their workflows move to the root.
 * @throws DeckhandError NOT_FOUND when the actor may not see it; FORBIDDEN below the role editor.
 */
export function deleteFolder(db: Database, actor: Actor, id: string): Promise<void> {
  return db.$transaction(async (tx) => {
    const workspaceId = await lockTreeOf(tx, actor, id);
    const { count } = await tx.folder.deleteMany({ where: { id } });
    if (count === 0) throw noSuchFolder();
    await recordChange(tx, actor, { action: 'folder.delete', workspaceId, resourceId: id });
  });
}
