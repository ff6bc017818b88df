import { ListExecutionsQuery, ExecutionPage } from '@deckhand/contracts';
import { listExecutionIds } from '@deckhand/db';
import { queryReader } from '../../http/query.js';
import { sendJsonText } from '../../http/respond.js';
import { forKey, type Route } from '../../http/route.js';
import { pageJson } from '../../runs/page-json.js';
import type { Services } from '../../services.js';

const readQuery = queryReader(ListExecutionsQuery);

/** GET /api/executions?workspaceId=: the runs of a workspace, without outputs. */
export function listExecutions({ db, executions }: Services): Route {
  return forKey(
    'GET',
    '/api/executions',
    { summary: 'List the runs of a workspace', query: ListExecutionsQuery, answers: { 200: ExecutionPage } },
    async (request, response, caller) => {
      const query = readQuery(request);
      const page = await listExecutionIds(db, caller, query);
      sendJsonText(response, 200, pageJson(query, page, await executions.readEntries(caller, page.ids)));
    },
  );
}
