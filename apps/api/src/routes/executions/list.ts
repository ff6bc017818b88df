import { ExecutionPage, ListExecutionsQuery } from '@deckhand/contracts';
import { setAge, wantsFresh } from '../../http/freshness.js';
import { queryReader } from '../../http/query.js';
import { sendJsonText } from '../../http/respond.js';
import { forKey, type Route } from '../../http/route.js';
import { listRuns } from '../../runs/list-runs.js';
import type { Services } from '../../services.js';

const readQuery = queryReader(ListExecutionsQuery);

/** GET /api/executions */
export function listExecutions(services: Services): Route {
  return forKey(
    'GET',
    '/api/executions',
    {
      summary: 'List the runs of a workspace',
      description: 'Lists runs without outputs. Takes filters, and a cursor for the next page.',
      returns: 'Runs without outputs, the last started first',
      query: ListExecutionsQuery,
      readsReplica: true,
      responses: { 200: ExecutionPage },
      errors: ['RATE_LIMITED'],
    },
    async (request, response, caller) => {
      const isFresh = wantsFresh(request);
      const { value, ageMs } = await listRuns(services, caller, readQuery(request), { isFresh });
      setAge(response, ageMs);
      sendJsonText(response, 200, value);
    },
  );
}
