import { type ListWorkflowsQuery, NO_FOLDER } from '@deckhand/contracts';
import type { Prisma, Queryable } from '../client.js';

/**
 * Narrows a list of workflows to a folder, on request with the folders in it. A folder of elsewhere holds nothing.
 * In no folder, with the folders in that, is everywhere.
 */
export async function inFolder(
  db: Queryable,
  { workspaceId, folderId, includeInnerFolders }: ListWorkflowsQuery,
): Promise<Prisma.WorkflowWhereInput> {
  if (folderId === undefined) return {};
  if (folderId === NO_FOLDER) return includeInnerFolders ? {} : { folderId: null };
  return { folderId: includeInnerFolders ? { in: await withInner(db, workspaceId, folderId) } : folderId };
}

/** The ids of a folder and of those in it. The index on parent_id serves each step down. */
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
