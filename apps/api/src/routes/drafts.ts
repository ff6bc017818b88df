import { compileBody, Draft, SaveDraftBody, SavedDraft } from '@deckhand/contracts';
import { deleteDraft as remove, readDraft, saveDraft as save } from '@deckhand/db';
import { isForExistingOnly, isForNewOnly, readIfMatch, setStateTag } from '../http/etag.ts';
import { pathId } from '../http/read-request.ts';
import { MAX_DATA_BODY_BYTES, readBody } from '../http/read-body.ts';
import { sendJson, sendNothing } from '../http/respond.ts';
import { forKey, type Route } from '../http/route.ts';
import type { ResourceContext } from '../contexts.ts';
import { findDraftWarnings } from '../workflows/prepare-version.ts';
import { removeSecrets } from '../workflows/secret-parameters.ts';

/** GET /api/workflows/{id}/draft */
export function getDraft(context: ResourceContext): Route {
  return forKey(
    'GET',
    '/api/workflows/:id/draft',
    'workflows:read',
    {
      summary: 'Get the draft of a workflow',
      description:
        'Returns the unsaved changes of a workflow. A draft is not a version: no run uses it. 404 without one.',
      returns: 'The draft',
      responses: { 200: Draft },
    },
    async (request, response, caller) => {
      const workflowId = pathId(request);
      const draft = await readDraft(context.db, caller, workflowId);
      setStateTag(response, draft.updatedAt);
      const warnings = await findDraftWarnings(draft.definition, context, { actor: caller, workflowId });
      sendJson(response, 200, { ...draft, warnings });
    },
  );
}

const parse = compileBody(SaveDraftBody);

/** PUT /api/workflows/{id}/draft */
export function saveDraft(context: ResourceContext): Route {
  return forKey(
    'PUT',
    '/api/workflows/:id/draft',
    'workflows:write',
    {
      summary: 'Save the draft of a workflow',
      description:
        'Creates or replaces the draft; its definition may be invalid. It keeps no secrets: saving a version asks for them again.',
      returns: 'The draft without its definition',
      takesIfMatch: true,
      headers: { 'If-None-Match': '`*`: a 412 if there is a draft already' },
      body: SaveDraftBody,
      responses: { 200: SavedDraft },
    },
    async (request, response, caller) => {
      const { definition, baseVersionId = null } = parse(await readBody(request, MAX_DATA_BODY_BYTES));
      const kept = { definition: removeSecrets(definition, context.nodeTypes), baseVersionId };
      const condition = {
        mustBeNew: isForNewOnly(request),
        mustExist: isForExistingOnly(request),
        states: readIfMatch(request),
      };
      const workflowId = pathId(request);
      const draft = await save(context.db, caller, workflowId, kept, condition);
      setStateTag(response, draft.updatedAt);
      const warnings = await findDraftWarnings(kept.definition, context, { actor: caller, workflowId });
      sendJson(response, 200, { ...draft, warnings });
    },
  );
}

/** DELETE /api/workflows/{id}/draft */
export function deleteDraft({ db }: ResourceContext): Route {
  return forKey(
    'DELETE',
    '/api/workflows/:id/draft',
    'workflows:write',
    {
      summary: 'Discard the draft of a workflow',
      description: 'Deletes the unsaved changes. Versions stay.',
      takesIfMatch: true,
      responses: { 204: null },
      errors: ['PRECONDITION_FAILED'],
    },
    async (request, response, caller) => {
      await remove(db, caller, pathId(request), readIfMatch(request));
      sendNothing(response);
    },
  );
}
