import { deleteFolder as remove } from '@deckhand/db';
import { pathId } from '../../http/query.js';
import { sendNothing } from '../../http/respond.js';
import { forKey, type Route } from '../../http/route.js';
import type { Services } from '../../services.js';

/** DELETE /api/folders/{id}: its folders go too, workflows fall back to no folder. */
export function deleteFolder({ db }: Services): Route {
  return forKey(
    'DELETE',
    '/api/folders/:id',
    { summary: 'Delete a folder', responses: { 204: null } },
    async (request, response, caller) => {
      await remove(db, caller, pathId(request));
      sendNothing(response);
    },
  );
}
