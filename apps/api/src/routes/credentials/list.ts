import { InWorkspaceQuery, CredentialEntry, pageOf } from '@deckhand/contracts';
import { listCredentials as list } from '@deckhand/db';
import { queryReader } from '../../http/query.js';
import { sendJson } from '../../http/respond.js';
import { forKey, type Route } from '../../http/route.js';
import type { Services } from '../../services.js';

const readQuery = queryReader(InWorkspaceQuery);

/** GET /api/credentials */
export function listCredentials({ db }: Services): Route {
  return forKey(
    'GET',
    '/api/credentials',
    {
      summary: 'List credentials',
      description: 'Lists names and types, never secrets.',
      returns: 'Credentials by name, without their secrets',
      query: InWorkspaceQuery,
      responses: { 200: pageOf(CredentialEntry) },
    },
    async (request, response, caller) => {
      sendJson(response, 200, await list(db, caller, readQuery(request)));
    },
  );
}
