import { v7 as uuidv7 } from 'uuid';
import {
  DeckhandError,
  type Page,
  type PageOf,
  type Permission,
  type Role,
  type UpdateWorkspaceBody,
  type WorkspaceEntry,
  type WorkspaceUsage,
  type WorkspaceUsageAndLimits,
} from '@deckhand/contracts';
import { type Actor, requirePermissionOf, visibleWorkspace } from '../access.ts';
import { readInstanceSettings, toLimits, WORKSPACE_LIMITS } from '../admin.ts';
import { readModelMonth } from '../model-calls.ts';
import { recordChange } from '../audit/record.ts';
import type { Database, Queryable } from '../client.ts';
import { stopExecutionsOfWorkspace } from '../executions/end/stop-many.ts';
import type { OnStopped } from '../executions/end/stop.ts';
import type { Workspace } from '../generated/client.ts';
import { pageRange, toPage } from '../paging.ts';
import { requireErrorWorkflow } from '../workflows/workflows.ts';

/**
 * Maximum number of workspaces that a person may own: each has limits of its own, so that many workspaces would
 * circumvent these.
 */
const MAX_OWNED = 100;

/** Converts a membership to the workspace as its member sees it. */
export interface WorkspaceRole {
  readonly workspaceId: string;
  readonly name: string;
  readonly role: Role;
}

/** Lists the workspaces of which the actor is a member, the oldest membership first. */
export async function listWorkspaces(db: Database, actor: Actor, page: Page): Promise<PageOf<WorkspaceEntry>> {
  const where = { userId: actor.userId, ...(actor.boundTo === null ? {} : { workspaceId: actor.boundTo }) };
  const rows = await db.membership.findMany({
    where,
    include: { workspace: true },
    orderBy: [{ createdAt: 'asc' }, { workspaceId: 'asc' }],
    ...pageRange(page),
  });
  return toPage(
    page,
    rows,
    ({ workspace, role }) => toWorkspaceEntry(workspace, role),
    () => db.membership.count({ where }),
  );
}

/** Returns every workspace of a person, with the person's role. */
export async function listRoles(db: Database, userId: string): Promise<WorkspaceRole[]> {
  const rows = await db.membership.findMany({
    where: { userId },
    include: { workspace: { select: { name: true } } },
    orderBy: [{ createdAt: 'asc' }, { workspaceId: 'asc' }],
  });
  return rows.map(({ workspaceId, workspace, role }) => ({ workspaceId, name: workspace.name, role }));
}

/** A workspace as one of its members sees it. */
function toWorkspaceEntry(workspace: Workspace, role: Role): WorkspaceEntry {
  return {
    id: workspace.id,
    workspaceId: workspace.id,
    name: workspace.name,
    role,
    errorWorkflowId: workspace.errorWorkflowId,
    createdAt: workspace.createdAt.toISOString(),
  };
}

/** Reads a workspace. @throws DeckhandError NOT_FOUND when the actor may not see it. */
export function readWorkspace(db: Database, actor: Actor, id: string): Promise<WorkspaceEntry> {
  return findWorkspace(db, actor, id, 'workspace.see');
}

/**
 * Finds a workspace by id for an actor who needs a permission there.
 * @throws DeckhandError NOT_FOUND when the actor may not see it; FORBIDDEN when its role lacks the permission.
 */
export async function findWorkspace(
  db: Queryable,
  actor: Actor,
  id: string,
  permission: Permission,
): Promise<WorkspaceEntry> {
  const isOutOfReach = actor.boundTo !== null && actor.boundTo !== id;
  const membership = isOutOfReach
    ? null
    : await db.membership.findUnique({
        where: { workspaceId_userId: { workspaceId: id, userId: actor.userId } },
        include: { workspace: true },
      });
  if (!membership) throw new DeckhandError('NOT_FOUND', { message: 'No such workspace' });
  requirePermissionOf(membership.role, permission);
  return toWorkspaceEntry(membership.workspace, membership.role);
}

/**
 * Creates a workspace that the actor owns, with the instance's default limits. @throws DeckhandError LIMIT_REACHED for
 * a person who owns too many.
 */
export function createWorkspace(db: Database, actor: Actor, name: string): Promise<WorkspaceEntry> {
  return db.$transaction(async (tx) => {
    // One person's workspaces are created one after another.
    await tx.$queryRaw`SELECT 1 FROM users WHERE id = ${actor.userId}::uuid FOR NO KEY UPDATE`;
    if ((await tx.membership.count({ where: { userId: actor.userId, role: 'owner' } })) >= MAX_OWNED) {
      throw new DeckhandError('LIMIT_REACHED', { message: `You own ${MAX_OWNED} workspaces: delete one first` });
    }
    const { defaultExecutionsPerMinute, defaultStorageQuotaBytes } = await readInstanceSettings(tx);
    const workspace = await tx.workspace.create({
      data: {
        id: uuidv7(),
        name,
        executionsPerMinute: defaultExecutionsPerMinute,
        storageQuotaBytes: defaultStorageQuotaBytes,
        memberships: { create: { userId: actor.userId, role: 'owner' } },
      },
    });
    const { id } = workspace;
    await recordChange(tx, actor, { action: 'workspace.create', workspaceId: id, resourceId: id });
    return toWorkspaceEntry(workspace, 'owner');
  });
}

/**
 * Changes a workspace.
 * @throws DeckhandError NOT_FOUND when the actor may not see it; FORBIDDEN without the permission; VALIDATION_FAILED
 * for an error workflow of another workspace.
 */
export function updateWorkspace(
  db: Database,
  actor: Actor,
  id: string,
  { errorWorkflowId, ...columns }: UpdateWorkspaceBody,
): Promise<WorkspaceEntry> {
  return db.$transaction(async (tx) => {
    await findWorkspace(tx, actor, id, 'workspace.change');
    const data = {
      ...columns,
      ...(errorWorkflowId === undefined
        ? {}
        : { errorWorkflowId: await requireErrorWorkflow(tx, id, errorWorkflowId) }),
    };
    const where = { AND: [{ id }, visibleWorkspace(actor, 'workspace.change')] };
    const { count } = await tx.workspace.updateMany({ where, data });
    if (count > 0) {
      const change = { action: 'workspace.update', workspaceId: id, resourceId: id } as const;
      await recordChange(tx, actor, { ...change, details: { changed: Object.keys(data) } });
    }
    return findWorkspace(tx, actor, id, 'workspace.change');
  });
}

/**
 * Stops the runs of a workspace and deletes it. Its runs and their data are no longer visible; maintenance deletes them
 * in the background.
 * @throws DeckhandError NOT_FOUND when the actor may not see it; FORBIDDEN without the permission.
 */
export async function deleteWorkspace(db: Database, actor: Actor, id: string, onStopped: OnStopped): Promise<void> {
  await findWorkspace(db, actor, id, 'workspace.delete');
  await stopExecutionsOfWorkspace(db, id, onStopped);
  await db.$transaction(async (tx) => {
    const workflows = await tx.workflow.findMany({ where: { workspaceId: id }, select: { id: true } });
    const { count } = await tx.workspace.deleteMany({
      where: { AND: [{ id }, visibleWorkspace(actor, 'workspace.delete')] },
    });
    if (count === 0) return;
    const workflowIds = workflows.map((workflow) => workflow.id);
    await tx.deletedWorkspace.create({ data: { workspaceId: id, workflowIds } });
    await recordChange(tx, actor, { action: 'workspace.delete', workspaceId: id, resourceId: id });
  });
  // A run that was being accepted while the workspace was deleted.
  await stopExecutionsOfWorkspace(db, id, onStopped);
}

/**
 * Reads how much a workspace uses, and its limits. Bytes that were written within the last moments may be missing:
 * maintenance adds them soon.
 * @throws DeckhandError NOT_FOUND when the actor may not see the workspace.
 */
export async function readWorkspaceUsage(db: Database, actor: Actor, id: string): Promise<WorkspaceUsageAndLimits> {
  await findWorkspace(db, actor, id, 'workspace.read');
  const row = await db.workspace.findUnique({ where: { id }, select: { storedBytes: true, ...WORKSPACE_LIMITS } });
  if (!row) throw new DeckhandError('NOT_FOUND', { message: 'No such workspace' });
  const { storedBytes, ...limits } = row;
  const { tokens, microUsd } = await readModelMonth(db, id);
  return {
    storedBytes: Number(storedBytes),
    modelTokensThisMonth: tokens,
    modelMicroUsdThisMonth: microUsd,
    ...toLimits(limits),
  };
}

/** Reads the storage that a workflow's workspace uses, and its quota; undefined when there is no such workflow. */
export async function readStorage(
  db: Database,
  workflowId: string,
): Promise<(WorkspaceUsage & { readonly storageQuotaBytes: number | null }) | undefined> {
  const select = { storedBytes: true, storageQuotaBytes: true } as const;
  const found = await db.workflow.findUnique({ where: { id: workflowId }, select: { workspace: { select } } });
  if (!found) return undefined;
  const { storedBytes, storageQuotaBytes } = found.workspace;
  return {
    storedBytes: Number(storedBytes),
    storageQuotaBytes: storageQuotaBytes === null ? null : Number(storageQuotaBytes),
  };
}

/**
 * Locks the members and the folder tree of a workspace until the transaction ends, so that changes run one after
 * another. Rows that refer to the workspace can still be added. A deleted workspace is not locked.
 */
export async function lockWorkspace(tx: Queryable, workspaceId: string): Promise<void> {
  await tx.$executeRaw`SELECT 1 FROM workspaces WHERE id = ${workspaceId}::uuid FOR NO KEY UPDATE`;
}
