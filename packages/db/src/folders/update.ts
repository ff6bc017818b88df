import { type FolderEntry, type UpdateFolderBody, validationFailed } from '@deckhand/contracts';
import type { Actor } from '../access.js';
import { recordChange } from '../audit/record.js';
import type { Database, Queryable } from '../client.js';
import { lockTreeOf, noSuchFolder, requireParent, toFolderEntry } from './entry.js';

/**
 * Renames or moves a folder. Moves within a workspace run one after another, so that two cannot form a cycle.
 * @throws DeckhandError NOT_FOUND when the actor may not see it; FORBIDDEN below the role editor; VALIDATION_FAILED for
 * a parent in another workspace or within the folder itself.
 */
export function updateFolder(db: Database, actor: Actor, id: string, changes: UpdateFolderBody): Promise<FolderEntry> {
  return db.$transaction(async (tx) => {
    const workspaceId = await lockTreeOf(tx, actor, id);
    if (changes.parentId !== undefined && changes.parentId !== null) {
      await requireParent(tx, workspaceId, changes.parentId);
      await refuseCircle(tx, id, changes.parentId);
    }
    const [row] = await tx.folder.updateManyAndReturn({ where: { id }, data: changes });
    if (!row) throw noSuchFolder();
    const details = { changed: Object.keys(changes), name: row.name };
    await recordChange(tx, actor, { action: 'folder.update', workspaceId, resourceId: id, details });
    return toFolderEntry(row);
  });
}

/** Walks from the new parent to the root: the folder may not be on the way. */
async function refuseCircle(tx: Queryable, id: string, parentId: string): Promise<void> {
  const onTheWay = await tx.$queryRaw<unknown[]>`
    WITH RECURSIVE way AS (
      SELECT id, parent_id FROM folders WHERE id = ${parentId}::uuid
      UNION
      SELECT f.id, f.parent_id FROM folders f JOIN way w ON f.id = w.parent_id
    )
    SELECT 1 FROM way WHERE id = ${id}::uuid`;
  if (onTheWay.length > 0) throw validationFailed([{ path: 'parentId', message: 'is within this folder' }]);
}
