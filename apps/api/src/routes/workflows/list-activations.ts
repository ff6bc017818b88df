import { ActivationPage, ListActivationsQuery, validationFailed } from '@deckhand/contracts';
import { listActivations as list } from '@deckhand/db';
import { pathId, queryReader } from '../../http/read-request.ts';
import { sendJson } from '../../http/respond.ts';
import { forKey, type Route } from '../../http/route.ts';
import type { ResourceContext } from '../../contexts.ts';

const readQuery = queryReader(ListActivationsQuery);

/** GET /api/workflows/{id}/activations */
export function listActivations({ db }: ResourceContext): Route {
  return forKey(
    'GET',
    '/api/workflows/:id/activations',
    'workflows:read',
    {
      summary: 'List the activations of a workflow',
      description: 'Lists activations, deactivations and changes of the active version, with the person who made them.',
      returns: 'Activations, the latest first',
      query: ListActivationsQuery,
      responses: { 200: ActivationPage },
    },
    async (request, response, caller) => {
      const query = readQuery(request);
      if (query.cursor !== undefined && query.offset > 0) {
        throw validationFailed([{ path: 'offset', message: 'cannot be given together with cursor' }]);
      }
      const page = await list(db, caller, pathId(request), query);
      sendJson(response, 200, { ...page, nextCursor: page.hasMore ? (page.data.at(-1)?.id ?? null) : null });
    },
  );
}
