import { leaveWorkspace as leave } from '@deckhand/db';
import { pathId } from '../../http/query.js';
import { sendNothing } from '../../http/respond.js';
import { forSession, type Route } from '../../http/route.js';
import type { Services } from '../../services.js';

/** DELETE /api/workspaces/{id}/membership */
export function leaveWorkspace({ db }: Services): Route {
  return forSession(
    'DELETE',
    '/api/workspaces/:id/membership',
    {
      summary: 'Leave a workspace',
      description: 'The last owner cannot leave.',
      responses: { 204: null },
      errors: ['CONFLICT'],
    },
    async (request, response, caller) => {
      await leave(db, caller, pathId(request));
      sendNothing(response);
    },
  );
}
