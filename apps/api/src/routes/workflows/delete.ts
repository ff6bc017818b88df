import { deleteWorkflow as remove } from '@deckhand/db';
import { pathId } from '../../http/query.js';
import { sendNothing } from '../../http/respond.js';
import { forKey, type Route } from '../../http/route.js';
import { notifyWorkers } from '../../runs/notify-workers.js';
import type { Services } from '../../services.js';

/** DELETE /api/workflows/{id}: its runs are stopped first, and stay to be read. */
export function deleteWorkflow(services: Services): Route {
  return forKey(
    'DELETE',
    '/api/workflows/:id',
    { summary: 'Delete a workflow, after its runs are stopped', responses: { 204: null } },
    async (request, response, caller) => {
      await remove(services.db, caller, pathId(request), (stopped) => notifyWorkers(services, 'stop', stopped));
      sendNothing(response);
    },
  );
}
