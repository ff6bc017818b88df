import { compileBody, DuplicatedWorkflow, DuplicateWorkflowBody } from '@deckhand/contracts';
import { createWorkflow, readToDuplicate, readWorkflow, requirePermission } from '@deckhand/db';
import { checkDefinition } from '../../definitions.ts';
import { pathId } from '../../http/read-request.ts';
import { readOptionalBody } from '../../http/read-body.ts';
import { forKey, type Route } from '../../http/route.ts';
import { duplicateDefinition } from '../../workflows/duplicate-definition.ts';
import { prepareVersion } from '../../workflows/prepare-version.ts';
import { workflowAnswer } from '../../workflows/workflow-answer.ts';
import type { ResourceContext } from '../../contexts.ts';

const parse = compileBody(DuplicateWorkflowBody);

/** Maximum length of a name, in characters. */
const MAX_NAME = 200;
const SUFFIX = ' (copy)';

/** POST /api/workflows/{id}/duplicate */
export function duplicateWorkflow(context: ResourceContext): Route {
  const { db, nodeTypes } = context;
  return forKey(
    'POST',
    '/api/workflows/:id/duplicate',
    'workflows:write',
    {
      summary: 'Duplicate a workflow',
      description:
        'Creates a draft whose first version is the latest version of this workflow, or another one. The definition is checked as if it were saved. Webhooks get new URLs and new secrets.',
      returns: 'The new workflow, a draft',
      takesIdempotencyKey: true,
      body: DuplicateWorkflowBody,
      isBodyOptional: true,
      responses: { 201: DuplicatedWorkflow },
    },
    async (request, response, caller) => {
      const originalId = pathId(request);
      const body = parse(await readOptionalBody(request));
      await context.answerOnce({ request, response, caller, body }, async (actor) => {
        // Access to the workspace is checked before everything else in the request.
        if (body.workspaceId !== undefined) await requirePermission(db, actor, body.workspaceId, 'workflows.edit');
        const original = await readToDuplicate(db, actor, originalId, body.versionId);
        const workspaceId = (body.workspaceId ?? original.workspaceId).toLowerCase();
        await requirePermission(db, actor, workspaceId, 'workflows.edit');
        const isElsewhere = workspaceId !== original.workspaceId;
        const prepare = async ({ number, definition }: NonNullable<typeof original.version>) => {
          const duplicated = duplicateDefinition(definition, isElsewhere);
          const checked = await checkDefinition(duplicated.definition, { by: actor.userId, nodeTypes });
          const comment = `Copy of version ${number} of ${original.name}`;
          const prepared = await prepareVersion(checked, context, { actor, place: { workspaceId }, comment });
          return { ...prepared, warnings: [...duplicated.warnings, ...prepared.warnings] };
        };
        const { version, warnings } = original.version
          ? await prepare(original.version)
          : { version: null, warnings: [] };
        const id = await createWorkflow(db, actor, {
          workspaceId,
          name: body.name ?? original.name.slice(0, MAX_NAME - SUFFIX.length) + SUFFIX,
          description: original.description,
          folderId: body.folderId === undefined && !isElsewhere ? original.folderId : (body.folderId ?? null),
          version,
          duplicateOf: { workflowId: originalId, workflowVersionId: original.version?.id ?? null },
        });
        const created = workflowAnswer(await readWorkflow(db, actor, id), context.webhookBaseUrl);
        return { status: 201, body: { ...created, warnings } };
      });
    },
  );
}
