import { ExecutionPage, ListWorkflowExecutionsQuery, validationFailed } from '@deckhand/contracts';
import { findWorkspaceOfWorkflow, latestSuccess, listExecutionIds } from '@deckhand/db';
import { pathId, queryReader } from '../../http/query.js';
import { sendJsonText } from '../../http/respond.js';
import { forKey, type Route } from '../../http/route.js';
import { pageJson } from '../../runs/page-json.js';
import type { Services } from '../../services.js';

const readQuery = queryReader(ListWorkflowExecutionsQuery);

/**
 * GET /api/workflows/{id}/executions: the runs of one workflow, without outputs. With `latest=true` the list holds only
 * the last run that succeeded, with its outputs, or nothing.
 */
export function listWorkflowExecutions({ db, executions }: Services): Route {
  return forKey(
    'GET',
    '/api/workflows/:id/executions',
    {
      summary: 'List the runs of a workflow, or read the last that succeeded',
      query: ListWorkflowExecutionsQuery,
      answers: { 200: ExecutionPage },
    },
    async (request, response, caller) => {
      const workflowId = pathId(request);
      const { latest, ...query } = readQuery(request);
      const workspaceId = await findWorkspaceOfWorkflow(db, caller, workflowId);
      if (latest) {
        if (query.status !== undefined && query.status !== 'success') {
          throw validationFailed([{ path: 'status', message: 'must be success, or left out, with latest=true' }]);
        }
        const id = await latestSuccess(db, workflowId);
        const runs = id === undefined ? [] : [await executions.read(caller, id, { isSlim: false })];
        sendJsonText(response, 200, pageJson({ limit: 1, offset: 0 }, { hasMore: false }, runs));
        return;
      }
      const page = await listExecutionIds(db, caller, { ...query, workspaceId, workflowId });
      sendJsonText(response, 200, pageJson(query, page, await executions.readEntries(caller, page.ids)));
    },
  );
}
