import { VersionEntry, pageOf } from '@deckhand/contracts';
import { listVersions as list } from '@deckhand/db';
import { pathId, readPage, PageQuery } from '../../http/query.js';
import { sendJson } from '../../http/respond.js';
import { forKey, type Route } from '../../http/route.js';
import type { Services } from '../../services.js';

/** GET /api/workflows/{id}/versions */
export function listVersions({ db }: Services): Route {
  return forKey(
    'GET',
    '/api/workflows/:id/versions',
    {
      summary: 'List the versions of a workflow',
      description: 'Lists versions without their definitions.',
      returns: 'Versions without their definitions, the latest first',
      query: PageQuery,
      responses: { 200: pageOf(VersionEntry) },
    },
    async (request, response, caller) => {
      sendJson(response, 200, await list(db, caller, pathId(request), readPage(request)));
    },
  );
}
