import { DeckhandError, type VariableEntry } from '@deckhand/contracts';
import { type Actor, requireRole, visibleWorkspace } from '../access.js';
import type { Queryable } from '../client.js';
import type { Variable } from '../generated/client.js';

/** Returns the error for a second variable with the same name. */
export const NAME_TAKEN = 'The workspace has a variable with this name';

/** Converts a variable to its entry in lists. */
export function toVariableEntry(row: Variable): VariableEntry {
  return {
    id: row.id,
    workspaceId: row.workspaceId,
    name: row.name,
    value: row.value,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}

/**
 * Finds the workspace of a variable that the actor wants to change.
 * @throws DeckhandError NOT_FOUND when the actor may not see it; FORBIDDEN below the role editor.
 */
export async function requireEditable(tx: Queryable, actor: Actor, id: string): Promise<string> {
  const row = await tx.variable.findFirst({
    where: { id, workspace: visibleWorkspace(actor) },
    select: { workspaceId: true },
  });
  if (!row) throw noSuchVariable();
  await requireRole(tx, actor, row.workspaceId, 'editor');
  return row.workspaceId;
}

/** Returns the error for a variable that does not exist or is not visible. */
export function noSuchVariable(): DeckhandError {
  return new DeckhandError('NOT_FOUND', { message: 'No such variable' });
}
