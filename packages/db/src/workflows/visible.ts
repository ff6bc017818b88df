import { type Actor, visibleWorkspace } from '../access.js';
import type { Database } from '../client.js';
import { noSuchWorkflow } from './lock.js';

/** The id of the workspace of a workflow. @throws DeckhandError NOT_FOUND when the actor may not see it. */
export async function findWorkspaceOfWorkflow(db: Database, actor: Actor, id: string): Promise<string> {
  const found = await db.workflow.findFirst({
    where: { id, workspace: visibleWorkspace(actor) },
    select: { workspaceId: true },
  });
  if (!found) throw noSuchWorkflow();
  return found.workspaceId;
}
