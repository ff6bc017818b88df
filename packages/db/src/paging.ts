import type { Page, PageOf } from '@deckhand/contracts';

/** What to ask the database for: one row more than shown tells whether more follow. */
export function pageRange(page: Page): { take: number; skip: number } {
  return { take: page.limit + 1, skip: page.offset };
}

/** A list's envelope around the rows that `pageRange` asked for. Counts only when the caller asked for the total. */
export async function toPage<R, T>(
  page: Page,
  rows: readonly R[],
  toEntry: (row: R) => T,
  count: () => Promise<number>,
): Promise<PageOf<T>> {
  const { limit, offset } = page;
  const envelope = { data: rows.slice(0, limit).map(toEntry), limit, offset, hasMore: rows.length > limit };
  return page.includeTotal ? { ...envelope, total: await count() } : envelope;
}
