import type { Page, PageOf } from '@deckhand/contracts';

/** Returns the range to query: one row more than the page shows whether more follow. */
export function pageRange(page: Page): { take: number; skip: number } {
  return { take: page.limit + 1, skip: page.offset };
}

/** Builds a page from the rows of `pageRange`. Counts all rows only if the caller requested the total. */
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
