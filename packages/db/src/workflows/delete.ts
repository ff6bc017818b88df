import type { Actor } from '../access.js';
import { recordChange } from '../audit/record.js';
import type { Database } from '../client.js';
import type { OnStopped } from '../executions/stop.js';
import { stopExecutionsOfWorkflow } from '../executions/stop-many.js';
import { lockWorkflow } from './lock.js';

/**
 * Stops a workflow's runs and their descendants, and deletes it with its versions. The runs can still be read.
 * @throws DeckhandError NOT_FOUND when the actor may not see it; FORBIDDEN below the role editor.
 */
export async function deleteWorkflow(db: Database, actor: Actor, id: string, onStopped: OnStopped): Promise<void> {
  await db.$transaction((tx) => lockWorkflow(tx, actor, id, 'editor'));
  await stopExecutionsOfWorkflow(db, id, onStopped);
  await db.$transaction(async (tx) => {
    const { workspaceId } = await lockWorkflow(tx, actor, id, 'editor');
    await tx.workflow.delete({ where: { id } });
    await tx.webhookDelivery.deleteMany({ where: { workflowId: id } });
    await recordChange(tx, actor, { action: 'workflow.delete', workspaceId, resourceId: id });
  });
  // A run that was being accepted while the workflow was deleted.
  await stopExecutionsOfWorkflow(db, id, onStopped);
}
