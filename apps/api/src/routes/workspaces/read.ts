import { WorkspaceEntry } from '@deckhand/contracts';
import { readWorkspace as read } from '@deckhand/db';
import { pathId } from '../../http/query.js';
import { sendJson } from '../../http/respond.js';
import { forKey, type Route } from '../../http/route.js';
import type { Services } from '../../services.js';

/** GET /api/workspaces/{id} */
export function readWorkspace({ db }: Services): Route {
  return forKey(
    'GET',
    '/api/workspaces/:id',
    {
      summary: 'Get a workspace',
      description: 'Every member may read it.',
      returns: 'The workspace',
      responses: { 200: WorkspaceEntry },
    },
    async (request, response, caller) => {
      sendJson(response, 200, await read(db, caller, pathId(request)));
    },
  );
}
