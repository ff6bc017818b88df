import type { Page, PageOf, Role, WorkspaceEntry } from '@deckhand/contracts';
import type { Actor } from '../access.js';
import type { Database } from '../client.js';
import { pageRange, toPage } from '../paging.js';

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
export function toWorkspaceEntry(workspace: { id: string; name: string; createdAt: Date }, role: Role): WorkspaceEntry {
  return {
    id: workspace.id,
    workspaceId: workspace.id,
    name: workspace.name,
    role,
    createdAt: workspace.createdAt.toISOString(),
  };
}
