import { WorkspaceUsageAndLimits } from '@deckhand/contracts';
import { readWorkspaceUsage as read } from '@deckhand/db';
import { pathId } from '../../http/query.js';
import { sendJson } from '../../http/respond.js';
import { forKey, type Route } from '../../http/route.js';
import type { Services } from '../../services.js';

/** GET /api/workspaces/{id}/usage */
export function readWorkspaceUsage({ db }: Services): Route {
  return forKey(
    'GET',
    '/api/workspaces/:id/usage',
    {
      summary: 'Get the usage and the limits of a workspace',
      description: 'Every member may read them. Administrators of the instance set the limits.',
      returns: 'The current usage, and the limits',
      responses: { 200: WorkspaceUsageAndLimits },
    },
    async (request, response, caller) => {
      sendJson(response, 200, await read(db, caller, pathId(request)));
    },
  );
}
