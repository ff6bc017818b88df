import {
  DryRunQuery,
  DryRunResponse,
  pageOf,
  SavedVersion,
  SaveVersionBody,
  Version,
  VersionEntry,
} from '@deckhand/contracts';
import { listVersions as list, readVersion } from '@deckhand/db';
import { PageQuery, pathId, queryReader, readPage } from '../http/read-request.ts';
import { MAX_DATA_BODY_BYTES, readBody } from '../http/read-body.ts';
import { sendJson } from '../http/respond.ts';
import { forKey, type Route } from '../http/route.ts';
import type { ResourceContext } from '../contexts.ts';
import { storeVersion, tryVersion } from '../workflows/store-workflows.ts';

/** GET /api/workflows/{id}/versions */
export function listVersions({ db }: ResourceContext): Route {
  return forKey(
    'GET',
    '/api/workflows/:id/versions',
    'workflows:read',
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
export function getVersion({ db }: ResourceContext): Route {
  return forKey(
    'GET',
    '/api/workflows/:id/versions/:versionId',
    'workflows:read',
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

const readQuery = queryReader(DryRunQuery);

/** POST /api/workflows/{id}/versions */
export function saveVersion(context: ResourceContext): Route {
  return forKey(
    'POST',
    '/api/workflows/:id/versions',
    'workflows:write',
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
      if (dryRun) {
        sendJson(response, 200, await tryVersion(context, caller, workflowId, asked));
        return;
      }
      await context.answerOnce({ request, response, caller, body: asked }, async (actor) => ({
        status: 201,
        body: await storeVersion(context, actor, workflowId, asked),
      }));
    },
  );
}
