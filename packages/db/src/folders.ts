import { v7 as uuidv7 } from 'uuid';
import {
  type CreateFolderBody,
  DeckhandError,
  type FolderEntry,
  type InWorkspaceQuery,
  type PageOf,
  type UpdateFolderBody,
  validationFailed,
} from '@deckhand/contracts';
import { type Actor, requirePermission, visibleWorkspace } from './access.ts';
import { recordChange } from './audit/record.ts';
import type { Database, Queryable } from './client.ts';
import type { Folder } from './generated/client.ts';
import { pageRange, toPage } from './paging.ts';
import { lockWorkspace } from './workspaces/workspaces.ts';

/** Lists all folders of a workspace by name. @throws DeckhandError FORBIDDEN for no member; WORKSPACE_MISMATCH. */
export async function listFolders(db: Database, actor: Actor, query: InWorkspaceQuery): Promise<PageOf<FolderEntry>> {
  await requirePermission(db, actor, query.workspaceId, 'workflows.read');
  const where = { workspace: { AND: [{ id: query.workspaceId }, visibleWorkspace(actor, 'workflows.read')] } };
  const rows = await db.folder.findMany({ where, orderBy: [{ name: 'asc' }, { id: 'asc' }], ...pageRange(query) });
  return toPage(query, rows, toFolderEntry, () => db.folder.count({ where }));
}

/**
 * Creates a folder. @throws DeckhandError FORBIDDEN without the permission; VALIDATION_FAILED for a parent in another
 * workspace.
 */
export function createFolder(db: Database, actor: Actor, body: CreateFolderBody): Promise<FolderEntry> {
  const { workspaceId, name, parentId = null } = body;
  return db.$transaction(async (tx) => {
    await requirePermission(tx, actor, workspaceId, 'workflows.edit');
    await lockWorkspace(tx, workspaceId);
    await requireParent(tx, workspaceId, parentId);
    const row = await tx.folder.create({ data: { id: uuidv7(), workspaceId, name, parentId } });
    const details = { name, parentId };
    await recordChange(tx, actor, { action: 'folder.create', workspaceId, resourceId: row.id, details });
    return toFolderEntry(row);
  });
}

/**
 * Renames or moves a folder. Moves within a workspace run one after another, so that two cannot form a cycle.
 * @throws DeckhandError NOT_FOUND when the actor may not see it; FORBIDDEN without the permission; VALIDATION_FAILED
 * for a parent in another workspace or within the folder itself.
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

/**
 * Deletes a folder and its subfolders; their workflows move to the root.
 * @throws DeckhandError NOT_FOUND when the actor may not see it; FORBIDDEN without the permission.
 */
export function deleteFolder(db: Database, actor: Actor, id: string): Promise<void> {
  return db.$transaction(async (tx) => {
    const workspaceId = await lockTreeOf(tx, actor, id);
    const { count } = await tx.folder.deleteMany({ where: { id } });
    if (count === 0) throw noSuchFolder();
    await recordChange(tx, actor, { action: 'folder.delete', workspaceId, resourceId: id });
  });
}

/** Converts a folder to its entry in lists. */
function toFolderEntry(row: Folder): FolderEntry {
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
 * @throws DeckhandError NOT_FOUND when the actor may not see it; FORBIDDEN without the permission.
 */
async function lockTreeOf(tx: Queryable, actor: Actor, id: string): Promise<string> {
  const where = { id, workspace: visibleWorkspace(actor, 'workflows.read') };
  const folder = await tx.folder.findFirst({ where, select: { workspaceId: true } });
  if (!folder) throw noSuchFolder();
  await lockWorkspace(tx, folder.workspaceId);
  await requirePermission(tx, actor, folder.workspaceId, 'workflows.edit');
  return folder.workspaceId;
}

/** @throws DeckhandError VALIDATION_FAILED when the workspace has no such folder. Null is the root. */
async function requireParent(tx: Queryable, workspaceId: string, parentId: string | null): Promise<void> {
  if (parentId === null) return;
  const parent = await tx.folder.findFirst({ where: { id: parentId, workspaceId }, select: { id: true } });
  if (!parent) throw validationFailed([{ path: 'parentId', message: 'is not a folder of this workspace' }]);
}

/** Returns the error for a folder that does not exist or is not visible. */
function noSuchFolder(): DeckhandError {
  return new DeckhandError('NOT_FOUND', { message: 'No such folder' });
}
