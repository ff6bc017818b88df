import { WorkspaceEntry, pageOf } from '@deckhand/contracts';
import { listWorkspaces as list } from '@deckhand/db';
import { readPage, PageQuery } from '../../http/query.js';
import { sendJson } from '../../http/respond.js';
import { forKey, type Route } from '../../http/route.js';
import type { Services } from '../../services.js';

/** GET /api/workspaces */
export function listWorkspaces({ db }: Services): Route {
  return forKey(
    'GET',
    '/api/workspaces',
    {
      summary: 'List your workspaces',
      description: 'Lists the workspaces of which the caller is a member.',
      returns: 'Your workspaces, with your role in each',
      query: PageQuery,
      responses: { 200: pageOf(WorkspaceEntry) },
    },
    async (request, response, caller) => {
      sendJson(response, 200, await list(db, caller, readPage(request)));
    },
  );
}
