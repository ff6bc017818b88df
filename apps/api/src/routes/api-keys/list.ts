import { ApiKeyEntry, pageOf } from '@deckhand/contracts';
import { listApiKeys as list } from '@deckhand/db';
import { readPage, PageQuery } from '../../http/query.js';
import { sendJson } from '../../http/respond.js';
import { forSession, type Route } from '../../http/route.js';
import type { Services } from '../../services.js';

/** GET /api/api-keys */
export function listApiKeys({ db }: Services): Route {
  return forSession(
    'GET',
    '/api/api-keys',
    {
      summary: 'List your API keys',
      description: 'Includes revoked and expired keys.',
      returns: 'Your keys, the newest first, without the keys themselves',
      query: PageQuery,
      responses: { 200: pageOf(ApiKeyEntry) },
    },
    async (request, response, caller) => {
      sendJson(response, 200, await list(db, caller.userId, readPage(request)));
    },
  );
}
