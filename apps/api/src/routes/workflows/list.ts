import { ListWorkflowsQuery, WorkflowEntry, pageOf } from '@deckhand/contracts';
import { listWorkflows as list } from '@deckhand/db';
import { queryReader } from '../../http/query.js';
import { sendJson } from '../../http/respond.js';
import { forKey, type Route } from '../../http/route.js';
import type { Services } from '../../services.js';

const readQuery = queryReader(ListWorkflowsQuery);

/** GET /api/workflows */
export function listWorkflows({ db }: Services): Route {
  return forKey(
    'GET',
    '/api/workflows',
    {
      summary: 'List workflows',
      description: 'Lists the workflows of a workspace, or of a folder, without their definitions.',
      returns: 'Workflows without their definitions, the last changed first',
      query: ListWorkflowsQuery,
      responses: { 200: pageOf(WorkflowEntry) },
    },
    async (request, response, caller) => {
      sendJson(response, 200, await list(db, caller, readQuery(request)));
    },
  );
}
