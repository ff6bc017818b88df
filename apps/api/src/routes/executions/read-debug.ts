import { DeckhandError, maskHeaders, NodeDebug, ReadOutputQuery, shownIteration } from '@deckhand/contracts';
import { readNodeDebug as read } from '@deckhand/db';
import { pathId, queryReader } from '../../http/query.js';
import { sendJsonText } from '../../http/respond.js';
import { forKey, type Route } from '../../http/route.js';
import type { Services } from '../../services.js';

const readQuery = queryReader(ReadOutputQuery);

/** GET /api/executions/{id}/nodes/{nodeId}/debug */
export function readNodeDebug({ db }: Services): Route {
  return forKey(
    'GET',
    '/api/executions/:id/nodes/:nodeId/debug',
    {
      summary: 'Get the debug data of a node',
      description:
        'Returns parameters, input and console output of a node, or of one of its iterations, of a run in debug mode.',
      returns: 'The debug data, with secrets masked',
      query: ReadOutputQuery,
      responses: { 200: NodeDebug },
    },
    async (request, response, caller) => {
      const executionId = pathId(request);
      const nodeId = String(request.params.nodeId);
      const { iteration } = readQuery(request);
      const found = nodeId.includes('\0')
        ? undefined
        : await read(db, caller, { executionId, nodeId, iteration: iteration ?? null });
      if (!found) throw new DeckhandError('NOT_FOUND', { message: 'Nothing was kept of this node for debugging' });
      const head = JSON.stringify({ nodeId, iteration: shownIteration(found.iteration) });
      sendJsonText(response, 200, `${head.slice(0, -1)},${maskHeaders(found.debugJson).slice(1)}`);
    },
  );
}
