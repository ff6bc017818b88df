import { deleteWorkspace as remove } from '@deckhand/db';
import { pathId } from '../../http/query.js';
import { sendNothing } from '../../http/respond.js';
import { forKey, type Route } from '../../http/route.js';
import { notifyWorkers } from '../../runs/notify-workers.js';
import type { Services } from '../../services.js';

/** DELETE /api/workspaces/{id} */
export function deleteWorkspace(services: Services): Route {
  return forKey(
    'DELETE',
    '/api/workspaces/:id',
    {
      summary: 'Delete a workspace',
      description: 'Stops its runs first. All its data is deleted in the background.',
      responses: { 204: null },
    },
    async (request, response, caller) => {
      await remove(services.db, caller, pathId(request), (stopped) => notifyWorkers(services, 'stop', stopped));
      sendNothing(response);
    },
  );
}
