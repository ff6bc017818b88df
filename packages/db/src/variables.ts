import { v7 as uuidv7 } from 'uuid';
import {
  type CreateVariableBody,
  DeckhandError,
  type InWorkspaceQuery,
  type JsonObject,
  type PageOf,
  type UpdateVariableBody,
  type VariableEntry,
  type VariableUse,
} from '@deckhand/contracts';
import {
  type Actor,
  type AllowedStates,
  changedMeanwhile,
  inState,
  requirePermission,
  visibleWorkspace,
} from './access.ts';
import { recordChange } from './audit/record.ts';
import type { Database, Queryable } from './client.ts';
import type { Variable } from './generated/client.ts';
import { pageRange, toPage } from './paging.ts';
import { conflictWhenTaken } from './unique.ts';

/** Returns the error for a second variable with the same name. */
const NAME_TAKEN = 'The workspace has a variable with this name';

/** Lists the variables of a workspace by name. @throws DeckhandError FORBIDDEN for no member; WORKSPACE_MISMATCH. */
export async function listVariables(
  db: Database,
  actor: Actor,
  query: InWorkspaceQuery,
): Promise<PageOf<VariableEntry>> {
  await requirePermission(db, actor, query.workspaceId, 'workflows.read');
  const where = { workspace: { AND: [{ id: query.workspaceId }, visibleWorkspace(actor, 'workflows.read')] } };
  const rows = await db.variable.findMany({ where, orderBy: { name: 'asc' }, ...pageRange(query) });
  return toPage(query, rows, toVariableEntry, () => db.variable.count({ where }));
}

/** Returns the variables of a workspace as expressions see them: name → value. */
export async function readVariables(db: Database, workspaceId: string): Promise<JsonObject> {
  const variables = await db.variable.findMany({ where: { workspaceId }, select: { name: true, value: true } });
  return Object.fromEntries(variables.map(({ name, value }) => [name, value]));
}

/**
 * Lists up to 100 workflows whose active or latest version reads a variable by its name, in the order of their names.
 * @throws DeckhandError NOT_FOUND when the actor may not see the variable.
 */
export async function listVariableUses(db: Database, actor: Actor, id: string): Promise<VariableUse[]> {
  const variable = await db.variable.findFirst({
    where: { id, workspace: visibleWorkspace(actor, 'workflows.read') },
    select: { workspaceId: true, name: true },
  });
  if (!variable) throw noSuchVariable();
  // Quotes in expressions are escaped, because definitions are JSON. A name has only letters, digits and _.
  const { workspaceId, name } = variable;
  const pattern = String.raw`\$vars(\??\.${name}(?![A-Za-z0-9_])|(\?\.)?\[\s*\\?["']${name}\\?["']\s*\])`;
  // Definitions are text in their tables: each of the workspace's current versions is read once. A search for a text is
  // many times faster than the pattern, and most have neither.
  return db.$queryRaw<VariableUse[]>`/* variables.list-uses */
    SELECT w.id AS "workflowId", w.name FROM workflows w
    WHERE w.workspace_id = ${workspaceId}::uuid AND EXISTS (
      SELECT 1 FROM workflow_versions v WHERE v.id IN (w.latest_version_id, w.active_version_id)
        AND CASE WHEN position('$vars' IN v.definition::text) > 0 AND position(${name} IN v.definition::text) > 0
          THEN v.definition::text ~ ${pattern} ELSE false END)
    ORDER BY w.name, w.id LIMIT 100`;
}

/** Creates a variable. @throws DeckhandError FORBIDDEN without the permission; CONFLICT when the name is taken. */
export function createVariable(db: Database, actor: Actor, body: CreateVariableBody): Promise<VariableEntry> {
  const { workspaceId, name, value } = body;
  return db
    .$transaction(async (tx) => {
      await requirePermission(tx, actor, workspaceId, 'variables.change');
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

/**
 * Changes a variable's name or value.
 * @throws DeckhandError NOT_FOUND when the actor may not see it; FORBIDDEN without the permission; CONFLICT when the
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
      const where = { id, workspace: visibleWorkspace(actor, 'variables.change'), ...inState(states) };
      const [row] = await tx.variable.updateManyAndReturn({ where, data: changes });
      if (!row) throw changedMeanwhile(states, noSuchVariable());
      const details = { changed: Object.keys(changes), name: row.name };
      await recordChange(tx, actor, { action: 'variable.update', workspaceId, resourceId: id, details });
      return toVariableEntry(row);
    })
    .catch(conflictWhenTaken(NAME_TAKEN));
}

/**
 * Deletes a variable.
 * @throws DeckhandError NOT_FOUND when the actor may not see it; FORBIDDEN without the permission.
 */
export function deleteVariable(db: Database, actor: Actor, id: string): Promise<void> {
  return db.$transaction(async (tx) => {
    const workspaceId = await requireEditable(tx, actor, id);
    const where = { id, workspace: visibleWorkspace(actor, 'variables.change') };
    const { count } = await tx.variable.deleteMany({ where });
    if (count === 0) throw noSuchVariable();
    await recordChange(tx, actor, { action: 'variable.delete', workspaceId, resourceId: id });
  });
}

/** Converts a variable to its entry in lists. */
function toVariableEntry(row: Variable): VariableEntry {
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
 * @throws DeckhandError NOT_FOUND when the actor may not see it; FORBIDDEN without the permission.
 */
async function requireEditable(tx: Queryable, actor: Actor, id: string): Promise<string> {
  const row = await tx.variable.findFirst({
    where: { id, workspace: visibleWorkspace(actor, 'workflows.read') },
    select: { workspaceId: true },
  });
  if (!row) throw noSuchVariable();
  await requirePermission(tx, actor, row.workspaceId, 'variables.change');
  return row.workspaceId;
}

/** Returns the error for a variable that does not exist or is not visible. */
function noSuchVariable(): DeckhandError {
  return new DeckhandError('NOT_FOUND', { message: 'No such variable' });
}
