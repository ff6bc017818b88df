import { compileCheck, SaveVersionBody, SavedVersion } from '@deckhand/contracts';
import { readSealedSecrets, saveVersion as save } from '@deckhand/db';
import { parseWithDefinition } from '../../definitions.js';
import { pathId } from '../../http/query.js';
import { DATA_BODY_BYTES_MAX, readBody } from '../../http/read-body.js';
import { forKey, type Route } from '../../http/route.js';
import type { Services } from '../../services.js';
import { checkReferences } from '../../workflows/check-references.js';
import { sealSecretParameters } from '../../workflows/secret-parameters.js';

const check = compileCheck(SaveVersionBody);

/** POST /api/workflows/{id}/versions: the latest version from now on. A stale `baseVersionId` is refused. */
export function saveVersion({ db, nodeTypes, secretBox, answerOnce }: Services): Route {
  return forKey(
    'POST',
    '/api/workflows/:id/versions',
    {
      summary: 'Save a version',
      returns: 'The id and the number of the version',
      takesIdempotencyKey: true,
      body: SaveVersionBody,
      answers: { 201: SavedVersion },
      errors: ['CONFLICT', 'LIMIT_REACHED'],
    },
    async (request, response, caller) => {
      const workflowId = pathId(request);
      const asked = await readBody(request, DATA_BODY_BYTES_MAX);
      await answerOnce({ request, response, caller, body: asked }, async (actor) => {
        const by = actor.userId;
        const { body, definition, warnings } = await parseWithDefinition(check, asked, { by, nodeTypes });
        // The schema requires it, so there is one.
        if (!definition) throw new Error('a version without a definition passed its check');
        const place = { workflowId };
        await checkReferences(definition.definition, { nodeTypes, db, actor, place });
        const earlier = await readSealedSecrets(db, actor, workflowId);
        const sealed = await sealSecretParameters(definition.definition, { nodeTypes, secretBox, earlier });
        const version = { ...definition, ...sealed, comment: body.comment ?? '', createdBy: by };
        const saved = await save(db, actor, workflowId, version, body.baseVersionId ?? null);
        return { status: 201, body: { ...saved, warnings } };
      });
    },
  );
}
