import { type Actor, memberMay, requirePermission } from '../access.ts';
import type { Database } from '../client.ts';
import type { WorkflowTool } from '../versions/save.ts';

/** Maximum number of workflows of a workspace that are tools. */
export const MAX_WORKFLOW_TOOLS = 200;

/** An active workflow that is a tool. */
export interface ActiveTool {
  readonly workflowId: string;
  readonly workflowName: string;
  readonly workflowDescription: string;
  readonly workflowVersionId: string;
  readonly tool: WorkflowTool;
}

/**
 * Lists the tools of a workspace: its active workflows whose active version is a tool, the oldest workflows first, up
 * to `MAX_WORKFLOW_TOOLS`.
 * @throws DeckhandError FORBIDDEN for no member; WORKSPACE_MISMATCH.
 */
export async function listActiveTools(db: Database, actor: Actor, workspaceId: string): Promise<ActiveTool[]> {
  await requirePermission(db, actor, workspaceId, 'workflows.read');
  // Served by the index on workspace_id; versions are joined by primary key.
  return db.$queryRaw<ActiveTool[]>`
    SELECT w.id AS "workflowId", w.name AS "workflowName", w.description AS "workflowDescription",
      v.id AS "workflowVersionId", v.tool
    FROM workflows w
    JOIN memberships m ON m.workspace_id = w.workspace_id AND m.user_id = ${actor.userId}::uuid AND ${memberMay('workflows.read')}
    JOIN workflow_versions v ON v.id = w.active_version_id AND v.tool IS NOT NULL
    WHERE w.workspace_id = ${workspaceId}::uuid AND w.status = 'active'
    ORDER BY w.id
    LIMIT ${MAX_WORKFLOW_TOOLS}`;
}
