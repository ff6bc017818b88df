import { type Actor, visibleWorkspace } from '../access.js';
import { recordChange } from '../audit/record.js';
import type { Database } from '../client.js';
import { noSuchVariable, requireEditable } from './entry.js';

/**
 * Deletes a variable.
 * @throws DeckhandError NOT_FOUND when the actor may not see it; FORBIDDEN below the role editor.
 */
export function deleteVariable(db: Database, actor: Actor, id: string): Promise<void> {
  return db.$transaction(async (tx) => {
    const workspaceId = await requireEditable(tx, actor, id);
    const where = { id, workspace: visibleWorkspace(actor, 'editor') };
    const { count } = await tx.variable.deleteMany({ where });
    if (count === 0) throw noSuchVariable();
    await recordChange(tx, actor, { action: 'variable.delete', workspaceId, resourceId: id });
  });
}
