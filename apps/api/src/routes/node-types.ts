import { NodeTypeEntry, pageOf } from '@deckhand/contracts';
import { PageQuery, readPage } from '../http/read-request.ts';
import { sendJson } from '../http/respond.ts';
import { forKey, type Route } from '../http/route.ts';
import type { ResourceContext } from '../contexts.ts';
import { describeNodeTypes } from '../workflows/describe-node-types.ts';

/** GET /api/node-types */
export function listNodeTypes({ nodeTypes }: ResourceContext): Route {
  const entries = describeNodeTypes(nodeTypes);
  return forKey(
    'GET',
    '/api/node-types',
    'node-types:read',
    {
      summary: 'List node types',
      description: 'Includes the JSON Schema of their parameters, from which forms can be generated.',
      returns: 'All node types',
      query: PageQuery,
      responses: { 200: pageOf(NodeTypeEntry) },
    },
    (request, response) => {
      const { limit, offset, includeTotal } = readPage(request);
      sendJson(response, 200, {
        data: entries.slice(offset, offset + limit),
        limit,
        offset,
        hasMore: entries.length > offset + limit,
        ...(includeTotal ? { total: entries.length } : {}),
      });
    },
  );
}
