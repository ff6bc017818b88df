import { deleteCredential as remove } from '@deckhand/db';
import { pathId } from '../../http/query.js';
import { sendNothing } from '../../http/respond.js';
import { forKey, type Route } from '../../http/route.js';
import type { Services } from '../../services.js';

/** DELETE /api/credentials/{id} */
export function deleteCredential({ db }: Services): Route {
  return forKey(
    'DELETE',
    '/api/credentials/:id',
    { summary: 'Delete a credential', description: 'Runs that need it fail from now on.', responses: { 204: null } },
    async (request, response, caller) => {
      await remove(db, caller, pathId(request));
      sendNothing(response);
    },
  );
}
