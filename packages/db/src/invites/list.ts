import type { InviteEntry, Page, PageOf } from '@deckhand/contracts';
import { type Actor, visibleWorkspace } from '../access.js';
import type { Database } from '../client.js';
import { pageRange, toPage } from '../paging.js';
import { findWorkspace } from '../workspaces/read.js';
import { toInviteEntry } from './entry.js';

/**
 * Lists the invites of a workspace, the newest first, including accepted and expired ones.
 * @throws DeckhandError NOT_FOUND when the actor may not see it; FORBIDDEN below the role admin.
 */
export async function listInvites(
  db: Database,
  actor: Actor,
  workspaceId: string,
  page: Page,
): Promise<PageOf<InviteEntry>> {
  await findWorkspace(db, actor, workspaceId, 'admin');
  const where = { workspaceId, workspace: visibleWorkspace(actor, 'admin') };
  const rows = await db.invite.findMany({
    where,
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    ...pageRange(page),
  });
  return toPage(
    page,
    rows,
    (row) => toInviteEntry(row),
    () => db.invite.count({ where }),
  );
}
