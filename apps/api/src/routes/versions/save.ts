import { compileCheck, DryRunQuery, DryRunResponse, SaveVersionBody, SavedVersion } from '@deckhand/contracts';
import { type Actor, readSealedSecrets, saveVersion as save, trySavingVersion } from '@deckhand/db';
import { parseWithDefinition } from '../../definitions.js';
import { pathId, queryReader } from '../../http/query.js';
import { MAX_DATA_BODY_BYTES, readBody } from '../../http/read-body.js';
import { sendJson } from '../../http/respond.js';
import { forKey, type Route } from '../../http/route.js';
import type { Services } from '../../services.js';
import { prepareVersion } from '../../workflows/prepare-version.js';

const check = compileCheck(SaveVersionBody);
const readQuery = queryReader(DryRunQuery);

/** POST /api/workflows/{id}/versions */
export function saveVersion(services: Services): Route {
  const { db, nodeTypes, answerOnce } = services;
  return forKey(
    'POST',
    '/api/workflows/:id/versions',
    {
      summary: 'Save a version',
      description:
        'The version becomes the latest. A stale `baseVersionId` is refused with a 409. With `dryRun=true`, everything is checked and nothing is saved.',
      returns: 'The id and the number of the version; with dryRun=true, the result of the check',
      takesIdempotencyKey: true,
      query: DryRunQuery,
      body: SaveVersionBody,
      responses: { 200: DryRunResponse, 201: SavedVersion },
      errors: ['CONFLICT', 'LIMIT_REACHED'],
    },
    async (request, response, caller) => {
      const workflowId = pathId(request);
      const { dryRun } = readQuery(request);
      const asked = await readBody(request, MAX_DATA_BODY_BYTES);
      const prepare = async (actor: Actor) => {
        const { body, definition, warnings } = await parseWithDefinition(check, asked, { by: actor.userId, nodeTypes });
        // The schema requires it.
        if (!definition) throw new Error('a version without a definition passed its check');
        const earlier = await readSealedSecrets(db, actor, workflowId);
        const { comment = '', baseVersionId = null } = body;
        const version = await prepareVersion(definition, services, { actor, place: { workflowId }, earlier, comment });
        return { version, baseVersionId, warnings };
      };
      if (dryRun) {
        const { version, baseVersionId, warnings } = await prepare(caller);
        await trySavingVersion(db, caller, workflowId, version, baseVersionId);
        sendJson(response, 200, { valid: true, warnings });
        return;
      }
      await answerOnce({ request, response, caller, body: asked }, async (actor) => {
        const { version, baseVersionId, warnings } = await prepare(actor);
        const saved = await save(db, actor, workflowId, version, baseVersionId);
        return { status: 201, body: { ...saved, warnings } };
      });
    },
  );
}
