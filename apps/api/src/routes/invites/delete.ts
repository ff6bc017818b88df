import { deleteInvite as remove } from '@deckhand/db';
import { pathId } from '../../http/query.js';
import { sendNothing } from '../../http/respond.js';
import { forSession, type Route } from '../../http/route.js';
import type { Services } from '../../services.js';

/** DELETE /api/workspaces/{id}/invites/{inviteId} */
export function deleteInvite({ db }: Services): Route {
  return forSession(
    'DELETE',
    '/api/workspaces/:id/invites/:inviteId',
    { summary: 'Delete an invite', description: 'Its link becomes invalid.', responses: { 204: null } },
    async (request, response, caller) => {
      await remove(db, caller, pathId(request), pathId(request, 'inviteId'));
      sendNothing(response);
    },
  );
}
