import { DeckhandError, IterationEntry, ListIterationsQuery, pageOf } from '@deckhand/contracts';
import { listIterations as list } from '@deckhand/db';
import { pathId, queryReader } from '../../http/query.js';
import { sendJson } from '../../http/respond.js';
import { forKey, type Route } from '../../http/route.js';
import type { Services } from '../../services.js';

const readQuery = queryReader(ListIterationsQuery);

/** GET /api/executions/{id}/nodes/{nodeId}/iterations */
export function listIterations({ db }: Services): Route {
  return forKey(
    'GET',
    '/api/executions/:id/nodes/:nodeId/iterations',
    {
      summary: 'List the iterations of a node in a loop',
      description: 'Includes status, times and errors of each iteration, without outputs.',
      returns: 'Iterations in their order, without outputs',
      query: ListIterationsQuery,
      responses: { 200: pageOf(IterationEntry) },
    },
    async (request, response, caller) => {
      const executionId = pathId(request);
      const nodeId = String(request.params.nodeId);
      if (nodeId.includes('\0')) throw new DeckhandError('NOT_FOUND', { message: 'No such node' });
      sendJson(response, 200, await list(db, caller, { executionId, nodeId }, readQuery(request)));
    },
  );
}
