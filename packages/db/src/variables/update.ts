import type { UpdateVariableBody, VariableEntry } from '@deckhand/contracts';
import { type Actor, type AllowedStates, changedMeanwhile, inState, visibleWorkspace } from '../access.js';
import { recordChange } from '../audit/record.js';
import type { Database } from '../client.js';
import { conflictWhenTaken } from '../unique.js';
import { NAME_TAKEN, noSuchVariable, requireEditable, toVariableEntry } from './entry.js';

/**
 * Changes a variable's name or value.
 * @throws DeckhandError NOT_FOUND when the actor may not see it; FORBIDDEN below the role editor; CONFLICT when the
 * name is taken; PRECONDITION_FAILED when it is in none of `states`.
 */
export function updateVariable(
  db: Database,
  actor: Actor,
  id: string,
  changes: UpdateVariableBody,
  states?: AllowedStates,
): Promise<VariableEntry> {
  return db
    .$transaction(async (tx) => {
      const workspaceId = await requireEditable(tx, actor, id);
      const where = { id, workspace: visibleWorkspace(actor, 'editor'), ...inState(states) };
      const [row] = await tx.variable.updateManyAndReturn({ where, data: changes });
      if (!row) throw changedMeanwhile(states, noSuchVariable());
      const details = { changed: Object.keys(changes), name: row.name };
      await recordChange(tx, actor, { action: 'variable.update', workspaceId, resourceId: id, details });
      return toVariableEntry(row);
    })
    .catch(conflictWhenTaken(NAME_TAKEN));
}
