import type { ApiKeyEntry, Page, PageOf } from '@deckhand/contracts';
import type { Database } from '../client.js';
import { pageRange, toPage } from '../paging.js';
import { toApiKeyEntry } from './entry.js';

/** Lists a person's keys, the newest first, including revoked and expired ones. */
export async function listApiKeys(db: Database, userId: string, page: Page): Promise<PageOf<ApiKeyEntry>> {
  const where = { userId };
  const rows = await db.apiKey.findMany({
    where,
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    ...pageRange(page),
  });
  return toPage(
    page,
    rows,
    (row) => toApiKeyEntry(row),
    () => db.apiKey.count({ where }),
  );
}
