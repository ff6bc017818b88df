import { isUuid, readTime, validationFailed } from '@deckhand/contracts';
import type { ExecutionOrder, ExecutionRecord, RunPosition } from '@deckhand/db';

/** The order of a list. A cursor is made of it and of the position of a run in it. */
type Order = Pick<ExecutionOrder, 'sortBy' | 'sortOrder'>;

/** Returns a cursor to the runs after a run. It is opaque to clients. */
export function writeCursor({ sortBy, sortOrder }: Order, run: ExecutionRecord): string {
  const at = sortBy === 'startedAt' ? (run.startedAt ?? run.createdAt) : run[sortBy];
  return Buffer.from(JSON.stringify([sortBy, sortOrder, at, run.id])).toString('base64url');
}

/**
 * Reads the cursor of a request. Returns undefined if there is none.
 * @throws DeckhandError VALIDATION_FAILED for an invalid cursor, a cursor of another order, and one beside an offset.
 */
export function readCursor(request: Order & { cursor?: string; offset: number }): RunPosition | undefined {
  const { cursor, sortBy, sortOrder, offset } = request;
  if (cursor === undefined) return undefined;
  if (offset > 0) throw validationFailed([{ path: 'offset', message: 'cannot be given together with cursor' }]);
  const [by, order, at, id] = parse(cursor);
  const position = { at: typeof at === 'string' ? readTime(at) : null, id };
  if (typeof id !== 'string' || !isUuid(id) || position.at === undefined || (at !== null && typeof at !== 'string')) {
    throw validationFailed([{ path: 'cursor', message: 'is not the nextCursor of a list' }]);
  }
  if (by !== sortBy || order !== sortOrder) {
    throw validationFailed([{ path: 'cursor', message: 'is of a list with another sortBy or sortOrder' }]);
  }
  return { at: position.at, id };
}

function parse(cursor: string): unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(parts) ? parts : [];
  } catch {
    return [];
  }
}
