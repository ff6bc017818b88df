import { v7 as uuidv7 } from 'uuid';
import type { CreateVariableBody, VariableEntry } from '@deckhand/contracts';
import { type Actor, requireRole } from '../access.js';
import { recordChange } from '../audit/record.js';
import type { Database } from '../client.js';
import { conflictWhenTaken } from '../unique.js';
import { NAME_TAKEN, toVariableEntry } from './entry.js';

/** Creates a variable. @throws DeckhandError FORBIDDEN below the role editor; CONFLICT when the name is taken. */
export function createVariable(db: Database, actor: Actor, body: CreateVariableBody): Promise<VariableEntry> {
  const { workspaceId, name, value } = body;
  return db
    .$transaction(async (tx) => {
      await requireRole(tx, actor, workspaceId, 'editor');
      const row = await tx.variable.create({ data: { id: uuidv7(), workspaceId, name, value } });
      await recordChange(tx, actor, {
        action: 'variable.create',
        workspaceId,
        resourceId: row.id,
        details: { name },
      });
      return toVariableEntry(row);
    })
    .catch(conflictWhenTaken(NAME_TAKEN));
}
