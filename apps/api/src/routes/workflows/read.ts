import { Workflow } from '@deckhand/contracts';
import { readWorkflow as read } from '@deckhand/db';
import { setStateTag } from '../../http/etag.js';
import { pathId } from '../../http/query.js';
import { sendJson } from '../../http/respond.js';
import { forKey, type Route } from '../../http/route.js';
import { workflowAnswer } from '../../workflows/workflow-answer.js';
import type { Services } from '../../services.js';

/** GET /api/workflows/{id} */
export function readWorkflow({ db, webhookBaseUrl }: Services): Route {
  return forKey(
    'GET',
    '/api/workflows/:id',
    {
      summary: 'Get a workflow',
      description: 'Returns the workflow with its latest definition, its webhooks and its schedules.',
      returns: 'The workflow',
      responses: { 200: Workflow },
    },
    async (request, response, caller) => {
      const workflow = await read(db, caller, pathId(request));
      setStateTag(response, workflow.updatedAt);
      sendJson(response, 200, workflowAnswer(workflow, webhookBaseUrl));
    },
  );
}
