import { MeResponse } from '@deckhand/contracts';
import { listRoles } from '@deckhand/db';
import { sendJson } from '../../http/respond.js';
import { forSession, type Route } from '../../http/route.js';
import type { Services } from '../../services.js';

/** GET /api/auth/me */
export function me({ db }: Services): Route {
  return forSession(
    'GET',
    '/api/auth/me',
    {
      summary: 'Get the signed-in person',
      description: 'Returns the person, and the workspaces of which the person is a member.',
      returns: 'The person and their workspaces',
      responses: { 200: MeResponse },
    },
    async (_request, response, caller) => {
      sendJson(response, 200, { user: caller.user, workspaces: await listRoles(db, caller.userId) });
    },
  );
}
