import { WorkspaceUsage } from '@deckhand/contracts';
import { readUsage as read } from '@deckhand/db';
import { pathId } from '../../http/query.js';
import { sendJson } from '../../http/respond.js';
import { forSession, type Route } from '../../http/route.js';
import type { Services } from '../../services.js';

/** GET /api/admin/workspaces/{id}/usage */
export function readUsage({ db }: Services): Route {
  return forSession(
    'GET',
    '/api/admin/workspaces/:id/usage',
    {
      summary: 'Get the usage of a workspace, as an administrator',
      description: 'For administrators of the instance.',
      returns: 'The current usage',
      responses: { 200: WorkspaceUsage },
    },
    async (request, response, caller) => {
      sendJson(response, 200, await read(db, caller, pathId(request)));
    },
  );
}
