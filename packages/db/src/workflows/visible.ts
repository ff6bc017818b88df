import { type Actor, visibleWorkspace } from '../access.js';
import type { Database, Prisma } from '../client.js';
import { noSuchWorkflow } from './lock.js';

/** Where a definition belongs: a workflow, or the workspace of a new one. */
export type Place = { readonly workspaceId: string } | { readonly workflowId: string };

/** The workspace of a place, where the actor may see it, as a condition of Prisma's models. */
export function workspaceOf(place: Place, actor: Actor): Prisma.WorkspaceWhereInput {
  const within = 'workflowId' in place ? { workflows: { some: { id: place.workflowId } } } : { id: place.workspaceId };
  return { AND: [within, visibleWorkspace(actor)] };
}

/** The id of the workspace of a workflow. @throws DeckhandError NOT_FOUND when the actor may not see it. */
export async function findWorkspaceOfWorkflow(db: Database, actor: Actor, id: string): Promise<string> {
  const found = await db.workflow.findFirst({
    where: { id, workspace: visibleWorkspace(actor) },
    select: { workspaceId: true },
  });
  if (!found) throw noSuchWorkflow();
  return found.workspaceId;
}
