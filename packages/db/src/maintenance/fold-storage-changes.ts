import { type Database, Prisma } from '../client.ts';

/**
 * Adds recent changes to the workspaces' stored bytes. Writers only insert their changes, so that two writers of a
 * workspace never wait for each other; each change is added once. @returns how many changes were added; `limit` of them
 * means that there may be more.
 */
export async function foldStorageChanges(db: Database, limit: number): Promise<number> {
  const [row] = await db.$queryRaw<{ count: number }[]>(Prisma.sql`/* storage.fold */
    WITH taken AS (
      DELETE FROM storage_changes
      WHERE id IN (SELECT id FROM storage_changes ORDER BY id LIMIT ${limit} FOR UPDATE SKIP LOCKED)
      RETURNING workspace_id, bytes
    ), summed AS (
      SELECT workspace_id, sum(bytes)::bigint AS bytes FROM taken GROUP BY workspace_id
    ), locked AS (
      SELECT w.id FROM workspaces w WHERE w.id IN (SELECT workspace_id FROM summed) ORDER BY w.id FOR NO KEY UPDATE
    ), folded AS (
      UPDATE workspaces w SET stored_bytes = greatest(w.stored_bytes + s.bytes, 0)
      FROM locked l JOIN summed s ON s.workspace_id = l.id WHERE w.id = l.id
    )
    SELECT count(*)::int AS count FROM taken`);
  return row?.count ?? 0;
}
