import {
  checkDuration,
  type EntryView,
  hasDuration,
  isUuid,
  type Page,
  readTime,
  validationFailed,
} from '@deckhand/contracts';
import {
  type ExecutionIdPage,
  type ExecutionOrder,
  type ExecutionRecord,
  isSearch,
  listExecutionIds,
  type ListExecutionsRequest,
  requirePermission,
  type RunPosition,
} from '@deckhand/db';
import type { Caller } from '../auth/caller.ts';
import type { RunContext } from '../contexts.ts';
import { pageJson } from './page-json.ts';
import type { Read } from './run-reads.ts';

/** The order of a list. A cursor is made of it and of the position of a run in it. */
type Order = Pick<ExecutionOrder, 'sortBy' | 'sortOrder'>;

/** The query of a list of runs. */
type ListRequest = ListExecutionsRequest & Page & EntryView & { cursor?: string };

/**
 * Reads a page of runs as the JSON text of a response.
 * @param options.isFresh does not read from a replica.
 * @throws DeckhandError FORBIDDEN for no member; WORKSPACE_MISMATCH; RATE_LIMITED; VALIDATION_FAILED for a bad cursor.
 */
export function listRuns(
  context: RunContext,
  caller: Caller,
  request: ListRequest,
  options: { isFresh: boolean },
): Promise<Read<string>> {
  const after = readCursor(request);
  return context.runReads.read(async (source) => {
    const page = await findPage(context, caller, { ...request, after }, source);
    const entries = await context.executions.readEntries(caller, page.ids, request, source);
    const last = entries.at(-1);
    return pageJson(request, page, entries, page.hasMore && last ? writeCursor(request, last.run) : null);
  }, options);
}

/**
 * Finds the ids of a page of runs. A search may read all runs of a workspace until its statement times out, and a
 * filter by duration all of a range, so they count towards the workspace's share of searches.
 * @param source the database that runs are read from; the primary by default.
 * @throws DeckhandError FORBIDDEN for no member; WORKSPACE_MISMATCH; RATE_LIMITED; VALIDATION_FAILED for a filter by
 * duration without a range.
 */
export async function findPage(
  { db, shares }: RunContext,
  caller: Caller,
  request: ListExecutionsRequest & Page,
  source = db,
): Promise<ExecutionIdPage> {
  const find = (): Promise<ExecutionIdPage> => listExecutionIds(db, caller, request, source);
  checkDuration(request);
  if (!isSearch(request) && !hasDuration(request)) return find();
  // Only its members may use up a workspace's share.
  await requirePermission(db, caller, request.workspaceId, 'runs.read');
  return shares.within(request.workspaceId, 'searches', find);
}

/** Returns a cursor to the runs after a run. It is opaque to clients. */
function writeCursor({ sortBy, sortOrder }: Order, run: ExecutionRecord): string {
  const at = sortBy === 'startedAt' ? (run.startedAt ?? run.createdAt) : run[sortBy];
  return Buffer.from(JSON.stringify([sortBy, sortOrder, at, run.id])).toString('base64url');
}

/**
 * Reads the cursor of a request. Returns undefined if there is none.
 * @throws DeckhandError VALIDATION_FAILED for an invalid cursor, a cursor of another order, and one beside an offset.
 */
function readCursor(request: Order & { cursor?: string; offset: number }): RunPosition | undefined {
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
