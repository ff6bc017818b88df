import { DeckhandError, type Permission, type Role, type WorkflowStatus } from '@deckhand/contracts';
import { type Actor, isHidden, requirePermissionOf, visibleWorkspace } from '../access.ts';
import type { Database, Prisma, Queryable } from '../client.ts';

/** The facts about a locked workflow that a writer needs. */
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
 * Locks a workflow until the transaction ends, so that changes run one after another. Meanwhile its workspace cannot be
 * deleted, and no folder of that can change.
 * @throws DeckhandError NOT_FOUND when the actor may not see it; FORBIDDEN when its role lacks the permission.
 */
export async function lockWorkflow(
  tx: Queryable,
  actor: Actor,
  id: string,
  permission: Permission,
): Promise<LockedWorkflow> {
  // Updating a row twice in a transaction makes foreign keys lock its workspace and its folder. Transactions that
  // delete those lock them before the workflow (lock-order.ts), so the workspace is locked first here, too.
  await tx.$executeRaw`
    SELECT 1 FROM workspaces WHERE id = (SELECT workspace_id FROM workflows WHERE id = ${id}::uuid) FOR SHARE`;
  const rows = await tx.$queryRaw<Row[]>`
    SELECT w.workspace_id, w.status::text, w.latest_version_id, w.active_version_id, w.updated_at, m.role::text
    FROM workflows w
    JOIN memberships m ON m.workspace_id = w.workspace_id AND m.user_id = ${actor.userId}::uuid
    WHERE w.id = ${id}::uuid AND (${actor.boundTo}::uuid IS NULL OR w.workspace_id = ${actor.boundTo}::uuid)
    FOR UPDATE OF w`;
  const row = rows[0];
  if (!row || isHidden(row.role, permission, 'workflows.read')) throw noSuchWorkflow();
  requirePermissionOf(row.role, permission);
  return {
    id,
    workspaceId: row.workspace_id,
    status: row.status,
    latestVersionId: row.latest_version_id,
    activeVersionId: row.active_version_id,
    updatedAt: row.updated_at,
  };
}

/** Returns the error for a workflow that does not exist or is not visible. */
export function noSuchWorkflow(): DeckhandError {
  return new DeckhandError('NOT_FOUND', { message: 'No such workflow' });
}

/** The place of a definition: a workflow, or the workspace of a new one. */
export type Place = { readonly workspaceId: string } | { readonly workflowId: string };

/** Returns the condition, for Prisma's models, for the workspace of a place that the actor may see. */
export function workspaceOf(place: Place, actor: Actor): Prisma.WorkspaceWhereInput {
  const within = 'workflowId' in place ? { workflows: { some: { id: place.workflowId } } } : { id: place.workspaceId };
  return { AND: [within, visibleWorkspace(actor, 'workflows.read')] };
}

/** Returns the id of the workspace of a workflow. @throws DeckhandError NOT_FOUND when the actor may not see it. */
export async function findWorkspaceOfWorkflow(db: Database, actor: Actor, id: string): Promise<string> {
  const found = await db.workflow.findFirst({
    where: { id, workspace: visibleWorkspace(actor, 'workflows.read') },
    select: { workspaceId: true },
  });
  if (!found) throw noSuchWorkflow();
  return found.workspaceId;
}
