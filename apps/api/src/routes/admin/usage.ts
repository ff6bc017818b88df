import { WorkspaceUsage } from '@deckhand/contracts';
import { readUsage as read } from '@deckhand/db';
import { pathId } from '../../http/query.js';
import { sendJson } from '../../http/respond.js';
import { forSession, type Route } from '../../http/route.js';
import type { Services } from '../../services.js';

/** GET /api/admin/workspaces/{id}/usage: for administrators of the instance, members or not. */
export function readUsage({ db }: Services): Route {
  return forSession(
    'GET',
    '/api/admin/workspaces/:id/usage',
    { summary: 'Read what a workspace uses', returns: 'What it uses at present', responses: { 200: WorkspaceUsage } },
    async (request, response, caller) => {
      sendJson(response, 200, await read(db, caller, pathId(request)));
    },
  );
}
