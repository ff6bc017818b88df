import { WorkspaceUsageAndLimits } from '@deckhand/contracts';
import { readWorkspaceUsage as read } from '@deckhand/db';
import { pathId } from '../../http/query.js';
import { sendJson } from '../../http/respond.js';
import { forKey, type Route } from '../../http/route.js';
import type { Services } from '../../services.js';

/** GET /api/workspaces/{id}/usage: for members; limits are set by administrators of the instance. */
export function readWorkspaceUsage({ db }: Services): Route {
  return forKey(
    'GET',
    '/api/workspaces/:id/usage',
    {
      summary: 'Read what a workspace uses, and its limits',
      returns: 'What it uses, and its limits',
      responses: { 200: WorkspaceUsageAndLimits },
    },
    async (request, response, caller) => {
      sendJson(response, 200, await read(db, caller, pathId(request)));
    },
  );
}
