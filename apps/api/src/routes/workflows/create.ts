import { compileCheck, CreatedWorkflow, CreateWorkflowBody } from '@deckhand/contracts';
import { createWorkflow as create, readWorkflow } from '@deckhand/db';
import { parseWithDefinition } from '../../definitions.js';
import { DATA_BODY_BYTES_MAX, readBody } from '../../http/read-body.js';
import { forKey, type Route } from '../../http/route.js';
import { checkReferences } from '../../workflows/check-references.js';
import { sealSecretParameters } from '../../workflows/secret-parameters.js';
import { workflowAnswer } from '../../workflows/workflow-answer.js';
import type { Services } from '../../services.js';

const check = compileCheck(CreateWorkflowBody);

/** POST /api/workflows: a draft; with a definition its first version is saved along with it. */
export function createWorkflow(services: Services): Route {
  const { db, nodeTypes, secretBox } = services;
  return forKey(
    'POST',
    '/api/workflows',
    {
      summary: 'Create a workflow',
      returns: 'The workflow',
      takesIdempotencyKey: true,
      body: CreateWorkflowBody,
      answers: { 201: CreatedWorkflow },
      errors: ['CONFLICT'],
    },
    async (request, response, caller) => {
      const asked = await readBody(request, DATA_BODY_BYTES_MAX);
      await services.answerOnce({ request, response, caller, body: asked }, async (actor) => {
        const by = actor.userId;
        const { body, definition, warnings } = await parseWithDefinition(check, asked, { by, nodeTypes });
        const place = { workspaceId: body.workspaceId.toLowerCase() };
        if (definition) await checkReferences(definition.definition, { nodeTypes, db, actor, place });
        const sealed =
          definition && (await sealSecretParameters(definition.definition, { nodeTypes, secretBox, earlier: {} }));
        const id = await create(db, actor, {
          workspaceId: body.workspaceId,
          name: body.name,
          description: body.description ?? '',
          folderId: body.folderId ?? null,
          version: definition && sealed && { ...definition, ...sealed, comment: '', createdBy: by },
        });
        const created = workflowAnswer(await readWorkflow(db, actor, id), services.webhookBaseUrl);
        return { status: 201, body: { ...created, warnings } };
      });
    },
  );
}
