import { checkDuration, type EntryView, hasDuration, type Page } from '@deckhand/contracts';
import {
  type ExecutionIdPage,
  isSearch,
  listExecutionIds,
  type ListExecutionsRequest,
  requireRole,
} from '@deckhand/db';
import type { Caller } from '../auth/caller.ts';
import type { RunContext } from '../contexts.ts';
import { readCursor, writeCursor } from './cursor.ts';
import { pageJson } from './page-json.ts';
import type { Read } from './run-reads.ts';

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
  await requireRole(db, caller, request.workspaceId, 'viewer');
  return shares.within(request.workspaceId, 'searches', find);
}
