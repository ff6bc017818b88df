import { MeResponse } from '@deckhand/contracts';
import { listRoles } from '@deckhand/db';
import { sendJson } from '../../http/respond.js';
import { forSession, type Route } from '../../http/route.js';
import type { Services } from '../../services.js';

/** GET /api/auth/me: who is signed in, and where that person is a member. */
export function me({ db }: Services): Route {
  return forSession(
    'GET',
    '/api/auth/me',
    { summary: 'Say who is signed in', returns: 'The person and their workspaces', responses: { 200: MeResponse } },
    async (_request, response, caller) => {
      sendJson(response, 200, { user: caller.user, workspaces: await listRoles(db, caller.userId) });
    },
  );
}
