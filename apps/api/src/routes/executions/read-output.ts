import { DeckhandError, maskHeaders, NodeOutput, ReadOutputQuery, shownIteration } from '@deckhand/contracts';
import { readNodeOutput as read } from '@deckhand/db';
import { pathId, queryReader } from '../../http/query.js';
import { sendJsonText } from '../../http/respond.js';
import { forKey, type Route } from '../../http/route.js';
import type { Services } from '../../services.js';

const readQuery = queryReader(ReadOutputQuery);

/** GET /api/executions/{id}/nodes/{nodeId}/output */
export function readNodeOutput({ db, outputs }: Services): Route {
  return forKey(
    'GET',
    '/api/executions/:id/nodes/:nodeId/output',
    {
      summary: 'Get the output of a node',
      description:
        'Returns outputs of any size. For a node in a loop, `iteration` selects one; by default the last one.',
      returns: 'The output, of any size',
      query: ReadOutputQuery,
      responses: { 200: NodeOutput },
      errors: ['OUTPUT_GONE'],
    },
    async (request, response, caller) => {
      const executionId = pathId(request);
      const nodeId = String(request.params.nodeId);
      const { iteration } = readQuery(request);
      const record = nodeId.includes('\0')
        ? undefined
        : await read(db, caller, { executionId, nodeId, iteration: iteration ?? null });
      if (!record) throw new DeckhandError('NOT_FOUND', { message: 'There is no such output' });
      const output =
        record.outputJson ?? (record.outputRef && (await outputs.get([record.outputRef])).get(record.outputRef));
      if (!output) throw new DeckhandError('NOT_FOUND', { message: 'There is no such output' });
      const head = JSON.stringify({ nodeId, iteration: shownIteration(record.iteration), status: record.status });
      sendJsonText(response, 200, `${head.slice(0, -1)},"output":${maskHeaders(output)}}`);
    },
  );
}
