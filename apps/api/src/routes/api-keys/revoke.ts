import { ApiKeyEntry } from '@deckhand/contracts';
import { revokeApiKey as revoke } from '@deckhand/db';
import { pathId } from '../../http/query.js';
import { refuseBody } from '../../http/refuse-body.js';
import { sendJson } from '../../http/respond.js';
import { forSession, type Route } from '../../http/route.js';
import type { Services } from '../../services.js';

/** POST /api/api-keys/{id}/revoke */
export function revokeApiKey({ db }: Services): Route {
  return forSession(
    'POST',
    '/api/api-keys/:id/revoke',
    {
      summary: 'Revoke an API key',
      description: 'From the response on, the key is refused. It cannot be restored.',
      returns: 'The key, without its secret part',
      responses: { 200: ApiKeyEntry },
    },
    async (request, response, caller) => {
      const id = pathId(request);
      await refuseBody(request);
      sendJson(response, 200, await revoke(db, caller, id));
    },
  );
}
