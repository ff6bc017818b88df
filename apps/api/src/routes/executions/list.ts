import { ExecutionPage, ListExecutionsQuery } from '@deckhand/contracts';
import { queryReader } from '../../http/query.js';
import { sendJsonText } from '../../http/respond.js';
import { forKey, type Route } from '../../http/route.js';
import { listRuns } from '../../runs/list-runs.js';
import type { Services } from '../../services.js';

const readQuery = queryReader(ListExecutionsQuery);

/** GET /api/executions?workspaceId=: the runs of a workspace, without outputs. */
export function listExecutions(services: Services): Route {
  return forKey(
    'GET',
    '/api/executions',
    {
      summary: 'List the runs of a workspace',
      returns: 'Runs without outputs, the last begun first',
      query: ListExecutionsQuery,
      responses: { 200: ExecutionPage },
      errors: ['RATE_LIMITED'],
    },
    async (request, response, caller) => {
      sendJsonText(response, 200, await listRuns(services, caller, readQuery(request)));
    },
  );
}
