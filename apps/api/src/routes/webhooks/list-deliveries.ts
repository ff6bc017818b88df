import { pageOf, WebhookDelivery } from '@deckhand/contracts';
import { listDeliveries as list } from '@deckhand/db';
import { PageQuery, pathId, readPage } from '../../http/query.js';
import { sendJson } from '../../http/respond.js';
import { forKey, type Route } from '../../http/route.js';
import type { Services } from '../../services.js';

/** GET /api/workflows/{id}/deliveries */
export function listDeliveries({ db }: Services): Route {
  return forKey(
    'GET',
    '/api/workflows/:id/deliveries',
    {
      summary: 'List requests to the webhooks of a workflow',
      description: 'Includes refused requests. The latest 500 of each workflow are stored.',
      returns: 'Requests with their results, the latest first',
      query: PageQuery,
      responses: { 200: pageOf(WebhookDelivery) },
    },
    async (request, response, caller) => {
      sendJson(response, 200, await list(db, caller, pathId(request), readPage(request)));
    },
  );
}
