import { deleteWorkflow as remove } from '@deckhand/db';
import { pathId } from '../../http/query.js';
import { sendNothing } from '../../http/respond.js';
import { forKey, type Route } from '../../http/route.js';
import { notifyWorkers } from '../../runs/notify-workers.js';
import type { Services } from '../../services.js';

/** DELETE /api/workflows/{id} */
export function deleteWorkflow(services: Services): Route {
  return forKey(
    'DELETE',
    '/api/workflows/:id',
    {
      summary: 'Delete a workflow',
      description: 'Stops its runs first. They can still be read.',
      responses: { 204: null },
    },
    async (request, response, caller) => {
      await remove(services.db, caller, pathId(request), (stopped) => notifyWorkers(services, 'stop', stopped));
      sendNothing(response);
    },
  );
}
