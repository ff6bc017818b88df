import type { ApiKeyEntry, Page, PageOf } from '@deckhand/contracts';
import type { Database } from '../client.js';
import { pageRange, toPage } from '../paging.js';
import { toApiKeyEntry } from './entry.js';

/** A person's keys, the newest first; revoked and expired ones stay listed. */
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
