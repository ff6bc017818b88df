import { DeckhandError } from '@deckhand/contracts';
import { removeMember as remove } from '@deckhand/db';
import { pathId } from '../../http/query.js';
import { sendNothing } from '../../http/respond.js';
import { forKey, type Route } from '../../http/route.js';
import type { Services } from '../../services.js';

/** DELETE /api/workspaces/{id}/members/{userId} */
export function removeMember({ db }: Services): Route {
  return forKey(
    'DELETE',
    '/api/workspaces/:id/members/:userId',
    {
      summary: 'Remove a member',
      description: 'The last owner cannot be removed.',
      responses: { 204: null },
      errors: ['CONFLICT'],
    },
    async (request, response, caller) => {
      const [id, userId] = [pathId(request), pathId(request, 'userId')];
      // Leaving a workspace always needs a session.
      if (caller.kind === 'key' && userId === caller.userId) throw new DeckhandError('SESSION_REQUIRED');
      await remove(db, caller, id, userId);
      sendNothing(response);
    },
  );
}
