import { Version } from '@deckhand/contracts';
import { readVersion as read } from '@deckhand/db';
import { pathId } from '../../http/query.js';
import { sendJson } from '../../http/respond.js';
import { forKey, type Route } from '../../http/route.js';
import type { Services } from '../../services.js';

/** GET /api/workflows/{id}/versions/{versionId} */
export function readVersion({ db }: Services): Route {
  return forKey(
    'GET',
    '/api/workflows/:id/versions/:versionId',
    {
      summary: 'Get a version',
      description: 'Returns a version with its definition.',
      returns: 'The version',
      responses: { 200: Version },
    },
    async (request, response, caller) => {
      sendJson(response, 200, await read(db, caller, pathId(request), pathId(request, 'versionId')));
    },
  );
}
