import { ListWaitsQuery, ApprovalEntry, pageOf } from '@deckhand/contracts';
import { listApprovals as list } from '@deckhand/db';
import { queryReader } from '../../http/query.js';
import { sendJson } from '../../http/respond.js';
import { forKey, type Route } from '../../http/route.js';
import type { Services } from '../../services.js';

const readQuery = queryReader(ListWaitsQuery);

/** GET /api/approvals */
export function listApprovals({ db }: Services): Route {
  return forKey(
    'GET',
    '/api/approvals',
    {
      summary: 'List approvals',
      description: 'Lists the approvals that runs of the workspace wait for.',
      returns: 'Open approvals, the oldest first',
      query: ListWaitsQuery,
      responses: { 200: pageOf(ApprovalEntry) },
    },
    async (request, response, caller) => {
      sendJson(response, 200, await list(db, caller, readQuery(request)));
    },
  );
}
