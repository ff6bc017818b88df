import { InWorkspaceQuery, VariableEntry, pageOf } from '@deckhand/contracts';
import { listVariables as list } from '@deckhand/db';
import { queryReader } from '../../http/query.js';
import { sendJson } from '../../http/respond.js';
import { forKey, type Route } from '../../http/route.js';
import type { Services } from '../../services.js';

const readQuery = queryReader(InWorkspaceQuery);

/** GET /api/variables */
export function listVariables({ db }: Services): Route {
  return forKey(
    'GET',
    '/api/variables',
    {
      summary: 'List variables',
      description: 'Lists the variables of a workspace.',
      returns: 'Variables by name',
      query: InWorkspaceQuery,
      responses: { 200: pageOf(VariableEntry) },
    },
    async (request, response, caller) => {
      sendJson(response, 200, await list(db, caller, readQuery(request)));
    },
  );
}
