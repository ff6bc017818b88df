import { deleteFolder as remove } from '@deckhand/db';
import { pathId } from '../../http/query.js';
import { sendNothing } from '../../http/respond.js';
import { forKey, type Route } from '../../http/route.js';
import type { Services } from '../../services.js';

/** DELETE /api/folders/{id} */
export function deleteFolder({ db }: Services): Route {
  return forKey(
    'DELETE',
    '/api/folders/:id',
    {
      summary: 'Delete a folder',
      description: 'Deletes its subfolders too. Their workflows move to the top level.',
      responses: { 204: null },
    },
    async (request, response, caller) => {
      await remove(db, caller, pathId(request));
      sendNothing(response);
    },
  );
}
