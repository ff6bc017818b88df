import { MemberEntry, pageOf } from '@deckhand/contracts';
import { listMembers as list } from '@deckhand/db';
import { pathId, readPage, PageQuery } from '../../http/query.js';
import { sendJson } from '../../http/respond.js';
import { forKey, type Route } from '../../http/route.js';
import type { Services } from '../../services.js';

/** GET /api/workspaces/{id}/members */
export function listMembers({ db }: Services): Route {
  return forKey(
    'GET',
    '/api/workspaces/:id/members',
    {
      summary: 'List members',
      description: 'Every member may list them.',
      returns: 'Members with their roles, the earliest first',
      query: PageQuery,
      responses: { 200: pageOf(MemberEntry) },
    },
    async (request, response, caller) => {
      sendJson(response, 200, await list(db, caller, pathId(request), readPage(request)));
    },
  );
}
