import type { Actor } from '../access.js';
import { recordChange } from '../audit/record.js';
import type { Database } from '../client.js';
import { stopExecutionsOfWorkflow } from '../executions/stop-all.js';
import { lockWorkflow } from './lock.js';

/**
 * Stops a workflow's runs and deletes it with its versions; the runs stay, to be read.
 * @returns the runs that were stopped, for the workers to be told.
 * @throws DeckhandError NOT_FOUND when the actor may not see it; FORBIDDEN below the role editor.
 */
export async function deleteWorkflow(db: Database, actor: Actor, id: string): Promise<string[]> {
  const stopped = await db.$transaction(async (tx) => {
    const { workspaceId } = await lockWorkflow(tx, actor, id, 'editor');
    const ids = await stopExecutionsOfWorkflow(tx, id);
    await tx.workflow.delete({ where: { id } });
    await recordChange(tx, actor, { action: 'workflow.delete', workspaceId, resourceId: id });
    return ids;
  });
  // A run that was being accepted while the workflow went.
  const late = await stopExecutionsOfWorkflow(db, id);
  return [...stopped, ...late];
}
