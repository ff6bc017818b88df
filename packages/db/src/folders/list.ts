import type { FolderEntry, InWorkspaceQuery, PageOf } from '@deckhand/contracts';
import { type Actor, requireRole, visibleWorkspace } from '../access.js';
import type { Database } from '../client.js';
import { pageRange, toPage } from '../paging.js';
import { toFolderEntry } from './entry.js';

/** Lists all folders of a workspace by name. @throws DeckhandError FORBIDDEN for no member; WORKSPACE_MISMATCH. */
export async function listFolders(db: Database, actor: Actor, query: InWorkspaceQuery): Promise<PageOf<FolderEntry>> {
  await requireRole(db, actor, query.workspaceId, 'viewer');
  const where = { workspace: { AND: [{ id: query.workspaceId }, visibleWorkspace(actor)] } };
  const rows = await db.folder.findMany({ where, orderBy: [{ name: 'asc' }, { id: 'asc' }], ...pageRange(query) });
  return toPage(query, rows, toFolderEntry, () => db.folder.count({ where }));
}
