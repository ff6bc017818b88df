import type { Page } from '@deckhand/contracts';
import type { ExecutionIdPage } from '@deckhand/db';

/** Puts the list envelope around runs that are JSON text already. */
export function pageJson(
  { limit, offset }: Pick<Page, 'limit' | 'offset'>,
  { hasMore, total }: Pick<ExecutionIdPage, 'hasMore' | 'total'>,
  entries: readonly { readonly json: string }[],
  nextCursor: string | null,
): string {
  const data = entries.map(({ json }) => json).join(',');
  const envelope = JSON.stringify({ limit, offset, hasMore, nextCursor, ...(total === undefined ? {} : { total }) });
  return `{"data":[${data}],${envelope.slice(1)}`;
}
