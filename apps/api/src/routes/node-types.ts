import { NodeTypeEntry, pageOf } from '@deckhand/contracts';
import { PageQuery, readPage } from '../http/query.js';
import { sendJson } from '../http/respond.js';
import { forKey, type Route } from '../http/route.js';
import type { Services } from '../services.js';

/** GET /api/node-types */
export function listNodeTypes({ nodeTypes }: Services): Route {
  const entries = [...nodeTypes.values()].map((type) => ({
    type: type.type,
    title: type.title,
    description: type.description,
    category: type.category,
    hasEffects: type.hasEffects,
    isTrigger: type.isTrigger,
    /** If the outputs of a type depend on its parameters: those of a node without parameters. */
    handles: type.handles?.({}) ?? [],
    credentialTypes: [...(type.credential?.types ?? [])],
    parameters: type.parameters,
  }));
  return forKey(
    'GET',
    '/api/node-types',
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
