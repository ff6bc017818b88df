import { InviteEntry, pageOf } from '@deckhand/contracts';
import { listInvites as list } from '@deckhand/db';
import { pathId, readPage, PageQuery } from '../../http/query.js';
import { sendJson } from '../../http/respond.js';
import { forSession, type Route } from '../../http/route.js';
import type { Services } from '../../services.js';

/** GET /api/workspaces/{id}/invites */
export function listInvites({ db }: Services): Route {
  return forSession(
    'GET',
    '/api/workspaces/:id/invites',
    {
      summary: 'List invites',
      description: 'Lists open, accepted and expired invites, without their tokens.',
      returns: 'Invites, the newest first',
      query: PageQuery,
      responses: { 200: pageOf(InviteEntry) },
    },
    async (request, response, caller) => {
      sendJson(response, 200, await list(db, caller, pathId(request), readPage(request)));
    },
  );
}
