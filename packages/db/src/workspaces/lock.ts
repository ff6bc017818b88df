import type { Queryable } from '../client.js';

/**
 * Locks the members and the folder tree of a workspace until the transaction ends, so that changes run one after
 * another. Rows that refer to the workspace can still be added. A deleted workspace is not locked.
 */
export async function lockWorkspace(tx: Queryable, workspaceId: string): Promise<void> {
  await tx.$executeRaw`SELECT 1 FROM workspaces WHERE id = ${workspaceId}::uuid FOR NO KEY UPDATE`;
}
