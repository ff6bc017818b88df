import { DeckhandError, type Role, type WorkflowStatus } from '@deckhand/contracts';
import { type Actor, requireRoleOf } from '../access.js';
import type { Queryable } from '../client.js';

/** What a writer must know of the workflow that it holds. */
export interface LockedWorkflow {
  readonly id: string;
  readonly workspaceId: string;
  readonly status: WorkflowStatus;
  readonly latestVersionId: string | null;
  readonly activeVersionId: string | null;
  readonly updatedAt: Date;
}

interface Row {
  readonly workspace_id: string;
  readonly status: WorkflowStatus;
  readonly latest_version_id: string | null;
  readonly active_version_id: string | null;
  readonly updated_at: Date;
  readonly role: Role;
}

/**
 * Locks a workflow until the transaction ends, so that two who save or activate at once take turns. Meanwhile its
 * workspace is not deleted, and no folder of that changes.
 * @throws DeckhandError NOT_FOUND when the actor may not see it; FORBIDDEN when the role is too low.
 */
export async function lockWorkflow(tx: Queryable, actor: Actor, id: string, needed: Role): Promise<LockedWorkflow> {
  // A row that is updated twice in a transaction has its workspace and its folder locked by foreign keys. Whoever
  // deletes those locks them before the workflow (lock-order.ts), so the workspace comes first here, too.
  await tx.$executeRaw`
    SELECT 1 FROM workspaces WHERE id = (SELECT workspace_id FROM workflows WHERE id = ${id}::uuid) FOR SHARE`;
  const rows = await tx.$queryRaw<Row[]>`
    SELECT w.workspace_id, w.status::text, w.latest_version_id, w.active_version_id, w.updated_at, m.role::text
    FROM workflows w
    JOIN memberships m ON m.workspace_id = w.workspace_id AND m.user_id = ${actor.userId}::uuid
    WHERE w.id = ${id}::uuid AND (${actor.boundTo}::uuid IS NULL OR w.workspace_id = ${actor.boundTo}::uuid)
    FOR UPDATE OF w`;
  const row = rows[0];
  if (!row) throw noSuchWorkflow();
  requireRoleOf(row.role, needed);
  return {
    id,
    workspaceId: row.workspace_id,
    status: row.status,
    latestVersionId: row.latest_version_id,
    activeVersionId: row.active_version_id,
    updatedAt: row.updated_at,
  };
}

/** The refusal for a workflow that is not there or not visible. */
export function noSuchWorkflow(): DeckhandError {
  return new DeckhandError('NOT_FOUND', { message: 'No such workflow' });
}
