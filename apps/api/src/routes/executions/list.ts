import { ListExecutionsQuery, ExecutionPage } from '@deckhand/contracts';
import { isSearch, listExecutionIds, requireRole } from '@deckhand/db';
import type { Caller } from '../../auth/caller.js';
import { queryReader } from '../../http/query.js';
import { sendJsonText } from '../../http/respond.js';
import { forKey, type Route } from '../../http/route.js';
import { pageJson } from '../../runs/page-json.js';
import type { Services } from '../../services.js';

const readQuery = queryReader(ListExecutionsQuery);

/** GET /api/executions?workspaceId=: the runs of a workspace, without outputs. */
export function listExecutions({ db, executions, shares }: Services): Route {
  /** A search may read all runs of a workspace, for as long as a statement may take: each has a share of them. */
  async function search<T>(workspaceId: string, caller: Caller, find: () => Promise<T>): Promise<T> {
    // Nobody but its members may use up a workspace's share.
    await requireRole(db, caller, workspaceId, 'viewer');
    return shares.within(workspaceId, 'searches', find);
  }

  return forKey(
    'GET',
    '/api/executions',
    {
      summary: 'List the runs of a workspace',
      query: ListExecutionsQuery,
      answers: { 200: ExecutionPage },
      errors: ['RATE_LIMITED'],
    },
    async (request, response, caller) => {
      const query = readQuery(request);
      const list = () => listExecutionIds(db, caller, query);
      const page = isSearch(query) ? await search(query.workspaceId, caller, list) : await list();
      sendJsonText(response, 200, pageJson(query, page, await executions.readEntries(caller, page.ids)));
    },
  );
}
