import type { Page } from '@deckhand/contracts';
import {
  type ExecutionIdPage,
  isSearch,
  listExecutionIds,
  type ListExecutionsRequest,
  requireRole,
} from '@deckhand/db';
import type { Caller } from '../auth/caller.js';
import type { Services } from '../services.js';

/**
 * Finds a page of runs by their ids. A search may read all runs of a workspace, for as long as a statement may take: it
 * counts against the workspace's share of searches.
 * @throws DeckhandError FORBIDDEN for no member; WORKSPACE_MISMATCH; RATE_LIMITED.
 */
export async function findPage(
  { db, shares }: Services,
  caller: Caller,
  request: ListExecutionsRequest & Page,
): Promise<ExecutionIdPage> {
  const find = (): Promise<ExecutionIdPage> => listExecutionIds(db, caller, request);
  if (!isSearch(request)) return find();
  // Nobody but its members may use up a workspace's share.
  await requireRole(db, caller, request.workspaceId, 'viewer');
  return shares.within(request.workspaceId, 'searches', find);
}
