import type { InWorkspaceQuery, PageOf, VariableEntry } from '@deckhand/contracts';
import { type Actor, requireRole, visibleWorkspace } from '../access.js';
import type { Database } from '../client.js';
import { pageRange, toPage } from '../paging.js';
import { toVariableEntry } from './entry.js';

/** Lists the variables of a workspace by name. @throws DeckhandError FORBIDDEN for no member; WORKSPACE_MISMATCH. */
export async function listVariables(
  db: Database,
  actor: Actor,
  query: InWorkspaceQuery,
): Promise<PageOf<VariableEntry>> {
  await requireRole(db, actor, query.workspaceId, 'viewer');
  const where = { workspace: { AND: [{ id: query.workspaceId }, visibleWorkspace(actor)] } };
  const rows = await db.variable.findMany({ where, orderBy: { name: 'asc' }, ...pageRange(query) });
  return toPage(query, rows, toVariableEntry, () => db.variable.count({ where }));
}
