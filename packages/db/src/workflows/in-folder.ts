import { type ListWorkflowsQuery, NO_FOLDER } from '@deckhand/contracts';
import type { Prisma, Queryable } from '../client.js';

/**
 * Limits a list of workflows to a folder, optionally with its subfolders. A folder of another workspace contains
 * nothing. The root with its subfolders contains all workflows.
 */
export async function inFolder(
  db: Queryable,
  { workspaceId, folderId, includeInnerFolders }: ListWorkflowsQuery,
): Promise<Prisma.WorkflowWhereInput> {
  if (folderId === undefined) return {};
  if (folderId === NO_FOLDER) return includeInnerFolders ? {} : { folderId: null };
  return { folderId: includeInnerFolders ? { in: await withInner(db, workspaceId, folderId) } : folderId };
}

/** Returns the ids of a folder and its subfolders. The index on parent_id serves each step down. */
async function withInner(db: Queryable, workspaceId: string, folderId: string): Promise<string[]> {
  const rows = await db.$queryRaw<{ id: string }[]>`
    WITH RECURSIVE inner_folders AS (
      SELECT id FROM folders WHERE id = ${folderId}::uuid AND workspace_id = ${workspaceId}::uuid
      UNION
      SELECT f.id FROM folders f JOIN inner_folders i ON f.parent_id = i.id
    )
    SELECT id FROM inner_folders`;
  return rows.map(({ id }) => id);
}
