import { compileBody, UpdateWorkflowBody, Workflow } from '@deckhand/contracts';
import { readWorkflow, updateWorkflow as update } from '@deckhand/db';
import { nextDueTime } from '@deckhand/nodes';
import { pathId } from '../../http/query.js';
import { readBody } from '../../http/read-body.js';
import { sendJson } from '../../http/respond.js';
import { forKey, type Route } from '../../http/route.js';
import { workflowAnswer } from '../../workflows/workflow-answer.js';
import type { Services } from '../../services.js';

const parse = compileBody(UpdateWorkflowBody);

/** PATCH /api/workflows/{id}: name, description, folder, status and active version. */
export function updateWorkflow({ db, webhookBaseUrl }: Services): Route {
  return forKey(
    'PATCH',
    '/api/workflows/:id',
    {
      summary: 'Change a workflow, activate or deactivate it',
      body: UpdateWorkflowBody,
      answers: { 200: Workflow },
      errors: ['NO_ACTIVE_VERSION'],
    },
    async (request, response, caller) => {
      const id = pathId(request);
      const changes = parse(await readBody(request));
      await update(db, caller, id, changes, (rule, now) => new Date(nextDueTime(rule, now)));
      sendJson(response, 200, workflowAnswer(await readWorkflow(db, caller, id), webhookBaseUrl));
    },
  );
}
