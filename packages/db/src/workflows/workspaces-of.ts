import type { Database } from '../client.js';

/** Workflows whose workspaces are remembered. */
const REMEMBERED_MAX = 20_000;

/**
 * Finds the workspaces of workflows. A workflow never changes its workspace, so what was read once stays.
 * @returns a function that resolves with workspace ids in the order of the workflows; undefined for one that is gone.
 */
export function createWorkspaceFinder(
  db: Database,
): (workflowIds: readonly string[]) => Promise<readonly (string | undefined)[]> {
  const known = new Map<string, string>();
  return async (workflowIds) => {
    const unknown = new Set(workflowIds.filter((id) => !known.has(id)));
    if (unknown.size > 0) {
      if (known.size + unknown.size > REMEMBERED_MAX) known.clear();
      const rows = await db.$queryRaw<{ id: string; workspaceId: string }[]>`/* workflows.workspaces-of */
        SELECT id, workspace_id AS "workspaceId" FROM workflows WHERE id = ANY (${[...unknown]}::uuid[])`;
      for (const { id, workspaceId } of rows) known.set(id, workspaceId);
    }
    return workflowIds.map((id) => known.get(id));
  };
}
