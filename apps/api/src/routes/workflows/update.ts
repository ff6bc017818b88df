import { compileBody, UpdateWorkflowBody, Workflow } from '@deckhand/contracts';
import { type FirstDue, readWorkflow, updateWorkflow as update } from '@deckhand/db';
import { nextDueTime } from '@deckhand/nodes';
import { readIfMatch, setStateTag } from '../../http/etag.js';
import { pathId } from '../../http/query.js';
import { readBody } from '../../http/read-body.js';
import { sendJson } from '../../http/respond.js';
import { forKey, type Route } from '../../http/route.js';
import { workflowAnswer } from '../../workflows/workflow-answer.js';
import type { Services } from '../../services.js';

const parse = compileBody(UpdateWorkflowBody);

/** PATCH /api/workflows/{id} */
export function updateWorkflow({ db, webhookBaseUrl }: Services): Route {
  return forKey(
    'PATCH',
    '/api/workflows/:id',
    {
      summary: 'Update a workflow',
      description:
        'Changes its name, description, folder, status or active version. Activating a workflow starts its webhooks and schedules; without `activeVersionId`, the latest version becomes active.',
      returns: 'The updated workflow',
      takesIfMatch: true,
      body: UpdateWorkflowBody,
      responses: { 200: Workflow },
      errors: ['NO_ACTIVE_VERSION'],
    },
    async (request, response, caller) => {
      const id = pathId(request);
      const changes = parse(await readBody(request));
      const firstDue: FirstDue = (rule, now) => new Date(nextDueTime(rule, now));
      await update(db, caller, id, changes, firstDue, readIfMatch(request));
      const workflow = await readWorkflow(db, caller, id);
      setStateTag(response, workflow.updatedAt);
      sendJson(response, 200, workflowAnswer(workflow, webhookBaseUrl));
    },
  );
}
