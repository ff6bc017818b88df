import {
  compileCheck,
  DryRunQuery,
  DryRunResponse,
  pageOf,
  SavedVersion,
  SaveVersionBody,
  Version,
  VersionEntry,
} from '@deckhand/contracts';
import {
  type Actor,
  listVersions as list,
  readSealedSecrets,
  readVersion,
  saveVersion as save,
  trySavingVersion,
} from '@deckhand/db';
import { parseWithDefinition } from '../definitions.js';
import { PageQuery, pathId, queryReader, readPage } from '../http/query.js';
import { MAX_DATA_BODY_BYTES, readBody } from '../http/read-body.js';
import { sendJson } from '../http/respond.js';
import { forKey, type Route } from '../http/route.js';
import type { Services } from '../services.js';
import { prepareVersion } from '../workflows/prepare-version.js';

/** GET /api/workflows/{id}/versions */
export function listVersions({ db }: Services): Route {
  return forKey(
    'GET',
    '/api/workflows/:id/versions',
    {
      summary: 'List the versions of a workflow',
      description: 'Lists versions without their definitions.',
      returns: 'Versions without their definitions, the latest first',
      query: PageQuery,
      responses: { 200: pageOf(VersionEntry) },
    },
    async (request, response, caller) => {
      sendJson(response, 200, await list(db, caller, pathId(request), readPage(request)));
    },
  );
}

/** GET /api/workflows/{id}/versions/{versionId} */
export function getVersion({ db }: Services): Route {
  return forKey(
    'GET',
    '/api/workflows/:id/versions/:versionId',
    {
      summary: 'Get a version',
      description: 'Returns a version with its definition.',
      returns: 'The version',
      responses: { 200: Version },
    },
    async (request, response, caller) => {
      sendJson(response, 200, await readVersion(db, caller, pathId(request), pathId(request, 'versionId')));
    },
  );
}

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
