import {
  compileBody,
  CreateVariableBody,
  InWorkspaceQuery,
  pageOf,
  UpdateVariableBody,
  VariableEntry,
  VariableUses,
} from '@deckhand/contracts';
import {
  createVariable as create,
  deleteVariable as remove,
  listVariables as list,
  listVariableUses as listUses,
  updateVariable as update,
} from '@deckhand/db';
import { readIfMatch, setStateTag } from '../http/etag.ts';
import { pathId, queryReader } from '../http/read-request.ts';
import { readBody } from '../http/read-body.ts';
import { sendJson, sendNothing } from '../http/respond.ts';
import { forKey, type Route } from '../http/route.ts';
import type { ResourceContext } from '../contexts.ts';

const parseCreate = compileBody(CreateVariableBody);

/** POST /api/variables */
export function createVariable({ db, answerOnce }: ResourceContext): Route {
  return forKey(
    'POST',
    '/api/variables',
    'variables:write',
    {
      summary: 'Create a variable',
      description: 'Expressions read it as `$vars.name`.',
      returns: 'The variable',
      takesIdempotencyKey: true,
      body: CreateVariableBody,
      responses: { 201: VariableEntry },
      errors: ['CONFLICT'],
    },
    async (request, response, caller) => {
      const body = parseCreate(await readBody(request));
      await answerOnce({ request, response, caller, body }, async (actor) => ({
        status: 201,
        body: await create(db, actor, { ...body, workspaceId: body.workspaceId.toLowerCase() }),
      }));
    },
  );
}

/** DELETE /api/variables/{id} */
export function deleteVariable({ db }: ResourceContext): Route {
  return forKey(
    'DELETE',
    '/api/variables/:id',
    'variables:write',
    {
      summary: 'Delete a variable',
      description: 'Expressions that read it get no value from now on.',
      responses: { 204: null },
    },
    async (request, response, caller) => {
      await remove(db, caller, pathId(request));
      sendNothing(response);
    },
  );
}

const readQuery = queryReader(InWorkspaceQuery);

/** GET /api/variables */
export function listVariables({ db }: ResourceContext): Route {
  return forKey(
    'GET',
    '/api/variables',
    'variables:read',
    {
      summary: 'List variables',
      description: 'Lists the variables of a workspace.',
      returns: 'Variables by name',
      query: InWorkspaceQuery,
      responses: { 200: pageOf(VariableEntry) },
    },
    async (request, response, caller) => {
      sendJson(response, 200, await list(db, caller, readQuery(request)));
    },
  );
}

/** GET /api/variables/{id}/workflows */
export function listVariableUses({ db }: ResourceContext): Route {
  return forKey(
    'GET',
    '/api/variables/:id/workflows',
    'variables:read',
    {
      summary: 'List the workflows that use a variable',
      description:
        'By the expressions and scripts of their active and latest versions that have its name, such as `$vars.name` or `$vars["name"]`; at most 100, by name. A name that is computed is not found.',
      returns: 'The workflows',
      responses: { 200: VariableUses },
    },
    async (request, response, caller) => {
      sendJson(response, 200, { data: await listUses(db, caller, pathId(request)) });
    },
  );
}

const parseUpdate = compileBody(UpdateVariableBody);

/** PATCH /api/variables/{id} */
export function updateVariable({ db }: ResourceContext): Route {
  return forKey(
    'PATCH',
    '/api/variables/:id',
    'variables:write',
    {
      summary: 'Change a variable',
      description: 'Changes its name or its value. Runs that start afterwards use the new value.',
      returns: 'The updated variable',
      takesIfMatch: true,
      body: UpdateVariableBody,
      responses: { 200: VariableEntry },
      errors: ['CONFLICT'],
    },
    async (request, response, caller) => {
      const id = pathId(request);
      const changed = await update(db, caller, id, parseUpdate(await readBody(request)), readIfMatch(request));
      setStateTag(response, changed.updatedAt);
      sendJson(response, 200, changed);
    },
  );
}
