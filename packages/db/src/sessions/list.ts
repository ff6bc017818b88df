import type { Page, PageOf, SessionEntry } from '@deckhand/contracts';
import type { Database } from '../client.js';
import { pageRange, toPage } from '../paging.js';

/** Lists a person's sessions that have not expired, the newest first. `currentId` is the session of the request. */
export async function listSessions(
  db: Database,
  userId: string,
  currentId: string,
  page: Page,
): Promise<PageOf<SessionEntry>> {
  const where = { userId, expiresAt: { gt: new Date() } };
  const rows = await db.session.findMany({
    where,
    select: { id: true, createdAt: true, lastUsedAt: true, expiresAt: true, userAgent: true },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    ...pageRange(page),
  });
  return toPage(
    page,
    rows,
    (row) => ({
      id: row.id,
      current: row.id === currentId,
      createdAt: row.createdAt.toISOString(),
      lastUsedAt: row.lastUsedAt.toISOString(),
      expiresAt: row.expiresAt.toISOString(),
      userAgent: row.userAgent,
    }),
    () => db.session.count({ where }),
  );
}
