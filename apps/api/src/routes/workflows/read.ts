import { Workflow } from '@deckhand/contracts';
import { readWorkflow as read } from '@deckhand/db';
import { setStateTag } from '../../http/etag.js';
import { pathId } from '../../http/query.js';
import { sendJson } from '../../http/respond.js';
import { forKey, type Route } from '../../http/route.js';
import { workflowAnswer } from '../../workflows/workflow-answer.js';
import type { Services } from '../../services.js';

/** GET /api/workflows/{id}: with the latest definition. */
export function readWorkflow({ db, webhookBaseUrl }: Services): Route {
  return forKey(
    'GET',
    '/api/workflows/:id',
    { summary: 'Read a workflow with its latest definition', returns: 'The workflow', responses: { 200: Workflow } },
    async (request, response, caller) => {
      const workflow = await read(db, caller, pathId(request));
      setStateTag(response, workflow.updatedAt);
      sendJson(response, 200, workflowAnswer(workflow, webhookBaseUrl));
    },
  );
}
