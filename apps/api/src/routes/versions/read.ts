import { readVersion as read } from '@deckhand/db';
import { pathId } from '../../http/query.js';
import { sendJson } from '../../http/respond.js';
import { forKey, type Route } from '../../http/route.js';
import type { Services } from '../../services.js';

/** GET /api/workflows/{id}/versions/{versionId}: with its definition. */
export function readVersion({ db }: Services): Route {
  return forKey('GET', '/api/workflows/:id/versions/:versionId', async (request, response, caller) => {
    sendJson(response, 200, await read(db, caller, pathId(request), pathId(request, 'versionId')));
  });
}
