import type { CredentialEntry, InWorkspaceQuery, PageOf } from '@deckhand/contracts';
import { type Actor, requireRole, visibleWorkspace } from '../access.js';
import type { Database } from '../client.js';
import { pageRange, toPage } from '../paging.js';
import { SHOWN, toCredentialEntry } from './entry.js';

/**
 * Lists the credentials of a workspace by name.
 * @throws DeckhandError FORBIDDEN for no member; WORKSPACE_MISMATCH.
 */
export async function listCredentials(
  db: Database,
  actor: Actor,
  query: InWorkspaceQuery,
): Promise<PageOf<CredentialEntry>> {
  await requireRole(db, actor, query.workspaceId, 'viewer');
  const where = { workspace: { AND: [{ id: query.workspaceId }, visibleWorkspace(actor)] } };
  const orderBy = [{ name: 'asc' as const }, { id: 'asc' as const }];
  const rows = await db.credential.findMany({ where, select: SHOWN, orderBy, ...pageRange(query) });
  return toPage(query, rows, toCredentialEntry, () => db.credential.count({ where }));
}
