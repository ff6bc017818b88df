import type { Database } from '../client.js';
import { type Actor, visibleWorkspace } from '../access.js';
import { recordChange } from '../audit/record.js';
import type { OnStopped } from '../executions/stop.js';
import { stopExecutionsOfWorkspace } from '../executions/stop-many.js';
import { findWorkspace } from './read.js';

/**
 * Stops the runs of a workspace and deletes it with all that it holds.
 * @throws DeckhandError NOT_FOUND when the actor may not see it; FORBIDDEN below the role owner.
 */
export async function deleteWorkspace(db: Database, actor: Actor, id: string, onStopped: OnStopped): Promise<void> {
  await findWorkspace(db, actor, id, 'owner');
  await stopExecutionsOfWorkspace(db, id, onStopped);
  await db.$transaction(async (tx) => {
    // No foreign key leads to them: they are written behind the answers' back, in batches.
    await tx.$executeRaw`DELETE FROM webhook_deliveries d USING workflows w
      WHERE w.id = d.workflow_id AND w.workspace_id = ${id}::uuid`;
    const { count } = await tx.workspace.deleteMany({ where: { AND: [{ id }, visibleWorkspace(actor, 'owner')] } });
    if (count > 0) await recordChange(tx, actor, { action: 'workspace.delete', workspaceId: id, resourceId: id });
  });
  // A run that was being accepted while the workspace went.
  await stopExecutionsOfWorkspace(db, id, onStopped);
}
