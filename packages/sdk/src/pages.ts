/** A page of a list with cursors. */
interface CursorPage<T> {
  readonly data: readonly T[];
  /** The cursor of the next page; null on the last. */
  readonly nextCursor: string | null;
}

/** A page of a list with offsets. */
interface OffsetPage<T> {
  readonly data: readonly T[];
  readonly offset: number;
  readonly hasMore: boolean;
}

/** Yields the items of all pages, and fetches a page only when its first item is needed. */
export async function* pagesByCursor<T>(
  fetchPage: (position: { readonly cursor?: string }) => Promise<CursorPage<T>>,
): AsyncGenerator<T, void, undefined> {
  let cursor: string | null = null;
  do {
    const page: CursorPage<T> = await fetchPage(cursor === null ? {} : { cursor });
    yield* page.data;
    cursor = page.nextCursor;
  } while (cursor !== null);
}

/** The same by offsets: an item that is added meanwhile may shift others to another page. */
export async function* pagesByOffset<T>(
  fetchPage: (position: { readonly offset: number }) => Promise<OffsetPage<T>>,
): AsyncGenerator<T, void, undefined> {
  let offset = 0;
  for (;;) {
    const page = await fetchPage({ offset });
    yield* page.data;
    if (!page.hasMore) return;
    offset = page.offset + page.data.length;
  }
}
