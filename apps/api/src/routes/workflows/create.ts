import { compileCheck, CreatedWorkflow, CreateWorkflowBody, DryRunQuery, DryRunResponse } from '@deckhand/contracts';
import { type Actor, createWorkflow as create, readWorkflow, tryCreatingWorkflow } from '@deckhand/db';
import { parseWithDefinition } from '../../definitions.js';
import { queryReader } from '../../http/query.js';
import { MAX_DATA_BODY_BYTES, readBody } from '../../http/read-body.js';
import { sendJson } from '../../http/respond.js';
import { forKey, type Route } from '../../http/route.js';
import { prepareVersion } from '../../workflows/prepare-version.js';
import { workflowAnswer } from '../../workflows/workflow-answer.js';
import type { Services } from '../../services.js';

const check = compileCheck(CreateWorkflowBody);
const readQuery = queryReader(DryRunQuery);

/** POST /api/workflows */
export function createWorkflow(services: Services): Route {
  const { db, nodeTypes } = services;
  return forKey(
    'POST',
    '/api/workflows',
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
      const { dryRun } = readQuery(request);
      const asked = await readBody(request, MAX_DATA_BODY_BYTES);
      const prepare = async (actor: Actor) => {
        const { body, definition, warnings } = await parseWithDefinition(check, asked, { by: actor.userId, nodeTypes });
        const { workspaceId, name, description = '', folderId = null } = body;
        const place = { workspaceId: workspaceId.toLowerCase() };
        const version =
          definition && (await prepareVersion(definition, services, { actor, place, earlier: {}, comment: '' }));
        return { workflow: { workspaceId, name, description, folderId, version }, warnings };
      };
      if (dryRun) {
        const { workflow, warnings } = await prepare(caller);
        await tryCreatingWorkflow(db, caller, workflow);
        sendJson(response, 200, { valid: true, warnings });
        return;
      }
      await services.answerOnce({ request, response, caller, body: asked }, async (actor) => {
        const { workflow, warnings } = await prepare(actor);
        const id = await create(db, actor, workflow);
        const created = workflowAnswer(await readWorkflow(db, actor, id), services.webhookBaseUrl);
        return { status: 201, body: { ...created, warnings } };
      });
    },
  );
}
