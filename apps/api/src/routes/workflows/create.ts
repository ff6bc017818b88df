import { compileCheck, CreatedWorkflow, CreateWorkflowBody } from '@deckhand/contracts';
import { createWorkflow as create, readWorkflow } from '@deckhand/db';
import { parseWithDefinition } from '../../definitions.js';
import { DATA_BODY_BYTES_MAX, readBody } from '../../http/read-body.js';
import { sendJson } from '../../http/respond.js';
import { forKey, type Route } from '../../http/route.js';
import { checkCredentials } from '../../workflows/check-credentials.js';
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
    { summary: 'Create a workflow', body: CreateWorkflowBody, answers: { 201: CreatedWorkflow }, errors: ['CONFLICT'] },
    async (request, response, caller) => {
      const { body, definition, warnings } = await parseWithDefinition(
        check,
        await readBody(request, DATA_BODY_BYTES_MAX),
        { by: caller.userId, nodeTypes },
      );
      const place = { workspaceId: body.workspaceId.toLowerCase() };
      if (definition) await checkCredentials(definition.definition, { nodeTypes, db, actor: caller, place });
      const sealed =
        definition && (await sealSecretParameters(definition.definition, { nodeTypes, secretBox, earlier: {} }));
      const id = await create(db, caller, {
        workspaceId: body.workspaceId,
        name: body.name,
        description: body.description ?? '',
        folderId: body.folderId ?? null,
        version: definition && sealed && { ...definition, ...sealed, comment: '', createdBy: caller.userId },
      });
      const created = workflowAnswer(await readWorkflow(db, caller, id), services.webhookBaseUrl);
      sendJson(response, 201, { ...created, warnings });
    },
  );
}
