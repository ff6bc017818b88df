import { DeckhandError, type FolderEntry, validationFailed } from '@deckhand/contracts';
import { type Actor, requireRole, visibleWorkspace } from '../access.js';
import type { Queryable } from '../client.js';
import type { Folder } from '../generated/client.js';
import { lockWorkspace } from '../workspaces/lock.js';

/** Converts a folder to its entry in lists. */
export function toFolderEntry(row: Folder): FolderEntry {
  return {
    id: row.id,
    workspaceId: row.workspaceId,
    parentId: row.parentId,
    name: row.name,
    createdAt: row.createdAt.toISOString(),
  };
}

/**
 * Finds the workspace of a folder that the actor wants to change and locks its tree.
 * @throws DeckhandError NOT_FOUND when the actor may not see it; FORBIDDEN below the role editor.
 */
export async function lockTreeOf(tx: Queryable, actor: Actor, id: string): Promise<string> {
  const where = { id, workspace: visibleWorkspace(actor) };
  const folder = await tx.folder.findFirst({ where, select: { workspaceId: true } });
  if (!folder) throw noSuchFolder();
  await lockWorkspace(tx, folder.workspaceId);
  await requireRole(tx, actor, folder.workspaceId, 'editor');
  return folder.workspaceId;
}

/** @throws DeckhandError VALIDATION_FAILED when the workspace has no such folder. Null is the root. */
export async function requireParent(tx: Queryable, workspaceId: string, parentId: string | null): Promise<void> {
  if (parentId === null) return;
  const parent = await tx.folder.findFirst({ where: { id: parentId, workspaceId }, select: { id: true } });
  if (!parent) throw validationFailed([{ path: 'parentId', message: 'is no folder of this workspace' }]);
}

/** Returns the error for a folder that does not exist or is not visible. */
export function noSuchFolder(): DeckhandError {
  return new DeckhandError('NOT_FOUND', { message: 'No such folder' });
}
