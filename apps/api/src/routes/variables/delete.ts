import { deleteVariable as remove } from '@deckhand/db';
import { pathId } from '../../http/query.js';
import { sendNothing } from '../../http/respond.js';
import { forKey, type Route } from '../../http/route.js';
import type { Services } from '../../services.js';

/** DELETE /api/variables/{id} */
export function deleteVariable({ db }: Services): Route {
  return forKey(
    'DELETE',
    '/api/variables/:id',
    {
      summary: 'Delete a variable',
      description: 'Expressions that read it get no value from now on.',
      responses: { 204: null },
    },
    async (request, response, caller) => {
      await remove(db, caller, pathId(request));
      sendNothing(response);
    },
  );
}
