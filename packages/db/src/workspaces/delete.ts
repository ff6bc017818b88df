import type { Database } from '../client.js';
import { type Actor, visibleWorkspace } from '../access.js';
import { recordChange } from '../audit/record.js';
import { stopExecutionsOfWorkspace } from '../executions/stop-all.js';
import { findWorkspace } from './read.js';

/**
 * Stops the runs of a workspace and deletes it with all that it holds.
 * @returns the runs that were stopped, for the workers to be told.
 * @throws DeckhandError NOT_FOUND when the actor may not see it; FORBIDDEN below the role owner.
 */
export async function deleteWorkspace(db: Database, actor: Actor, id: string): Promise<string[]> {
  await findWorkspace(db, actor, id, 'owner');
  const stopped = await stopExecutionsOfWorkspace(db, id);
  await db.$transaction(async (tx) => {
    const { count } = await tx.workspace.deleteMany({ where: { AND: [{ id }, visibleWorkspace(actor, 'owner')] } });
    if (count > 0) await recordChange(tx, actor, { action: 'workspace.delete', workspaceId: id, resourceId: id });
  });
  // A run that was being accepted while the workspace went.
  const late = await stopExecutionsOfWorkspace(db, id);
  return [...stopped, ...late];
}
