import type { Queryable } from '../client.js';

/**
 * Lets those who change a workspace's members or its tree of folders take turns, until the transaction ends. Rows that
 * refer to the workspace can be added meanwhile. A workspace that is gone is not locked.
 */
export async function lockWorkspace(tx: Queryable, workspaceId: string): Promise<void> {
  await tx.$executeRaw`SELECT 1 FROM workspaces WHERE id = ${workspaceId}::uuid FOR NO KEY UPDATE`;
}
