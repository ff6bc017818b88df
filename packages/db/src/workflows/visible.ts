import { type Actor, visibleWorkspace } from '../access.js';
import type { Database, Prisma } from '../client.js';
import { noSuchWorkflow } from './lock.js';

/** The place of a definition: a workflow, or the workspace of a new one. */
export type Place = { readonly workspaceId: string } | { readonly workflowId: string };

/** Returns the condition, for Prisma's models, for the workspace of a place that the actor may see. */
export function workspaceOf(place: Place, actor: Actor): Prisma.WorkspaceWhereInput {
  const within = 'workflowId' in place ? { workflows: { some: { id: place.workflowId } } } : { id: place.workspaceId };
  return { AND: [within, visibleWorkspace(actor)] };
}

/** Returns the id of the workspace of a workflow. @throws DeckhandError NOT_FOUND when the actor may not see it. */
export async function findWorkspaceOfWorkflow(db: Database, actor: Actor, id: string): Promise<string> {
  const found = await db.workflow.findFirst({
    where: { id, workspace: visibleWorkspace(actor) },
    select: { workspaceId: true },
  });
  if (!found) throw noSuchWorkflow();
  return found.workspaceId;
}
