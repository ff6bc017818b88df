import { deleteSession } from '@deckhand/db';
import { refuseBody } from '../../http/refuse-body.js';
import { sendNothing } from '../../http/respond.js';
import { forSession, type Route } from '../../http/route.js';
import type { Services } from '../../services.js';

/** POST /api/auth/logout */
export function logout({ db }: Services): Route {
  return forSession(
    'POST',
    '/api/auth/logout',
    { summary: 'Sign out', description: 'Ends the session of the request.', responses: { 204: null } },
    async (request, response, caller) => {
      await refuseBody(request);
      await deleteSession(db, caller.sessionId);
      sendNothing(response);
    },
  );
}
