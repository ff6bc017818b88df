import {
  compileBody,
  CreatedWorkflow,
  CreateWorkflowBody,
  DryRunQuery,
  DryRunResponse,
  ListWorkflowsQuery,
  pageOf,
  UpdateWorkflowBody,
  Workflow,
  WorkflowEntry,
} from '@deckhand/contracts';
import {
  deleteWorkflow as remove,
  type FirstDue,
  listWorkflows as list,
  readWorkflow,
  updateWorkflow as update,
} from '@deckhand/db';
import { nextDueTime } from '@deckhand/nodes';
import { readIfMatch, setStateTag } from '../../http/etag.ts';
import { pathId, queryReader } from '../../http/read-request.ts';
import { MAX_DATA_BODY_BYTES, readBody } from '../../http/read-body.ts';
import { sendJson, sendNothing } from '../../http/respond.ts';
import { forKey, type Route } from '../../http/route.ts';
import type { ResourceContext } from '../../contexts.ts';
import { storeNewWorkflow, tryNewWorkflow } from '../../workflows/store-workflows.ts';
import { workflowAnswer } from '../../workflows/workflow-answer.ts';

const readCreateQuery = queryReader(DryRunQuery);

/** POST /api/workflows */
export function createWorkflow(context: ResourceContext): Route {
  return forKey(
    'POST',
    '/api/workflows',
    'workflows:write',
    {
      summary: 'Create a workflow',
      description:
        'The workflow is a draft. With a definition, its first version is saved too. With `dryRun=true`, everything is checked and nothing is saved.',
      returns: 'The workflow; with dryRun=true, the result of the check',
      takesIdempotencyKey: true,
      query: DryRunQuery,
      body: CreateWorkflowBody,
      responses: { 200: DryRunResponse, 201: CreatedWorkflow },
      errors: ['CONFLICT'],
    },
    async (request, response, caller) => {
      const { dryRun } = readCreateQuery(request);
      const asked = await readBody(request, MAX_DATA_BODY_BYTES);
      if (dryRun) {
        sendJson(response, 200, await tryNewWorkflow(context, caller, asked));
        return;
      }
      await context.answerOnce({ request, response, caller, body: asked }, async (actor) => ({
        status: 201,
        body: await storeNewWorkflow(context, actor, asked),
      }));
    },
  );
}

/** DELETE /api/workflows/{id} */
export function deleteWorkflow(context: ResourceContext): Route {
  return forKey(
    'DELETE',
    '/api/workflows/:id',
    'workflows:write',
    {
      summary: 'Delete a workflow',
      description: 'Stops its runs first. They can still be read.',
      takesIfMatch: true,
      responses: { 204: null },
      errors: ['PRECONDITION_FAILED'],
    },
    async (request, response, caller) => {
      const notify = (stopped: readonly string[]) => context.notifyWorkers('stop', stopped);
      await remove(context.db, caller, pathId(request), notify, readIfMatch(request));
      sendNothing(response);
    },
  );
}

const readListQuery = queryReader(ListWorkflowsQuery);

/** GET /api/workflows */
export function listWorkflows({ db }: ResourceContext): Route {
  return forKey(
    'GET',
    '/api/workflows',
    'workflows:read',
    {
      summary: 'List workflows',
      description: 'Lists the workflows of a workspace, or of a folder, without their definitions.',
      returns: 'Workflows without their definitions, by default the last changed first',
      query: ListWorkflowsQuery,
      responses: { 200: pageOf(WorkflowEntry) },
    },
    async (request, response, caller) => {
      sendJson(response, 200, await list(db, caller, readListQuery(request)));
    },
  );
}

/** GET /api/workflows/{id} */
export function getWorkflow({ db, webhookBaseUrl }: ResourceContext): Route {
  return forKey(
    'GET',
    '/api/workflows/:id',
    'workflows:read',
    {
      summary: 'Get a workflow',
      description: 'Returns the workflow with its latest definition, its webhooks and its schedules.',
      returns: 'The workflow',
      responses: { 200: Workflow },
    },
    async (request, response, caller) => {
      const workflow = await readWorkflow(db, caller, pathId(request));
      setStateTag(response, workflow.updatedAt);
      sendJson(response, 200, workflowAnswer(workflow, webhookBaseUrl));
    },
  );
}

const parse = compileBody(UpdateWorkflowBody);

/** PATCH /api/workflows/{id} */
export function updateWorkflow({ db, webhookBaseUrl }: ResourceContext): Route {
  return forKey(
    'PATCH',
    '/api/workflows/:id',
    'workflows:write',
    {
      summary: 'Update a workflow',
      description:
        'Changes its name, description, folder, status, active version or error workflow. Activating a workflow starts its webhooks and schedules; without `activeVersionId`, the latest version becomes active.',
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
