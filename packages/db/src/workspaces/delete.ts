import type { Database } from '../client.js';
import { type Actor, visibleWorkspace } from '../access.js';
import { recordChange } from '../audit/record.js';
import type { OnStopped } from '../executions/stop.js';
import { stopExecutionsOfWorkspace } from '../executions/stop-many.js';
import { findWorkspace } from './read.js';

/**
 * Stops the runs of a workspace and deletes it. Its runs and their data are no longer visible; maintenance deletes them
 * in the background.
 * @throws DeckhandError NOT_FOUND when the actor may not see it; FORBIDDEN below the role owner.
 */
export async function deleteWorkspace(db: Database, actor: Actor, id: string, onStopped: OnStopped): Promise<void> {
  await findWorkspace(db, actor, id, 'owner');
  await stopExecutionsOfWorkspace(db, id, onStopped);
  await db.$transaction(async (tx) => {
    const workflows = await tx.workflow.findMany({ where: { workspaceId: id }, select: { id: true } });
    const { count } = await tx.workspace.deleteMany({ where: { AND: [{ id }, visibleWorkspace(actor, 'owner')] } });
    if (count === 0) return;
    const workflowIds = workflows.map((workflow) => workflow.id);
    await tx.deletedWorkspace.create({ data: { workspaceId: id, workflowIds } });
    await recordChange(tx, actor, { action: 'workspace.delete', workspaceId: id, resourceId: id });
  });
  // A run that was being accepted while the workspace was deleted.
  await stopExecutionsOfWorkspace(db, id, onStopped);
}
