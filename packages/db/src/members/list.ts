import type { MemberEntry, Page, PageOf } from '@deckhand/contracts';
import { type Actor, visibleWorkspace } from '../access.js';
import type { Database } from '../client.js';
import { pageRange, toPage } from '../paging.js';
import { findWorkspace } from '../workspaces/read.js';
import { toMemberEntry, WITH_USER } from './entry.js';

/**
 * Lists the members of a workspace, the oldest first. @throws DeckhandError NOT_FOUND when the actor may not see it.
 */
export async function listMembers(
  db: Database,
  actor: Actor,
  workspaceId: string,
  page: Page,
): Promise<PageOf<MemberEntry>> {
  await findWorkspace(db, actor, workspaceId, 'viewer');
  const where = { workspaceId, workspace: visibleWorkspace(actor) };
  const rows = await db.membership.findMany({
    where,
    include: WITH_USER,
    orderBy: [{ createdAt: 'asc' }, { userId: 'asc' }],
    ...pageRange(page),
  });
  return toPage(page, rows, toMemberEntry, () => db.membership.count({ where }));
}
