import {
  compileBody,
  CreateWorkspaceBody,
  DeckhandError,
  pageOf,
  UpdateWorkspaceBody,
  validationFailed,
  WorkspaceEntry,
  WorkspaceUsageAndLimits,
} from '@deckhand/contracts';
import {
  createWorkspace as create,
  deleteWorkspace as remove,
  listWorkspaces as list,
  readWorkspace,
  readWorkspaceUsage,
  updateWorkspace as update,
} from '@deckhand/db';
import { PageQuery, pathId, readPage } from '../http/read-request.ts';
import { readBody } from '../http/read-body.ts';
import { sendJson, sendNothing } from '../http/respond.ts';
import { forKey, type Route } from '../http/route.ts';
import type { ResourceContext } from '../contexts.ts';

const parse = compileBody(CreateWorkspaceBody);
const parseUpdate = compileBody(UpdateWorkspaceBody);

/** POST /api/workspaces */
export function createWorkspace({ db, answerOnce }: ResourceContext): Route {
  return forKey(
    'POST',
    '/api/workspaces',
    'workspaces:write',
    {
      summary: 'Create a workspace',
      description: 'The caller becomes its owner.',
      returns: 'The workspace',
      takesIdempotencyKey: true,
      body: CreateWorkspaceBody,
      responses: { 201: WorkspaceEntry },
      errors: ['LIMIT_REACHED'],
    },
    async (request, response, caller) => {
      const body = parse(await readBody(request));
      // A key that is bound to a workspace can use no other, so it cannot create one either.
      if (caller.boundTo !== null) throw new DeckhandError('WORKSPACE_MISMATCH');
      await answerOnce({ request, response, caller, body }, async (actor) => ({
        status: 201,
        body: await create(db, actor, body.name),
      }));
    },
  );
}

/** DELETE /api/workspaces/{id} */
export function deleteWorkspace(context: ResourceContext): Route {
  return forKey(
    'DELETE',
    '/api/workspaces/:id',
    'workspaces:*',
    {
      summary: 'Delete a workspace',
      description: 'Stops its runs first. All its data is deleted in the background.',
      responses: { 204: null },
    },
    async (request, response, caller) => {
      await remove(context.db, caller, pathId(request), (stopped) => context.notifyWorkers('stop', stopped));
      sendNothing(response);
    },
  );
}

/** GET /api/workspaces */
export function listWorkspaces({ db }: ResourceContext): Route {
  return forKey(
    'GET',
    '/api/workspaces',
    'workspaces:read',
    {
      summary: 'List your workspaces',
      description: 'Lists the workspaces of which the caller is a member.',
      returns: 'Your workspaces, with your role in each',
      query: PageQuery,
      responses: { 200: pageOf(WorkspaceEntry) },
    },
    async (request, response, caller) => {
      sendJson(response, 200, await list(db, caller, readPage(request)));
    },
  );
}

/** GET /api/workspaces/{id} */
export function getWorkspace({ db }: ResourceContext): Route {
  return forKey(
    'GET',
    '/api/workspaces/:id',
    'workspaces:read',
    {
      summary: 'Get a workspace',
      description: 'Every member may read it.',
      returns: 'The workspace',
      responses: { 200: WorkspaceEntry },
    },
    async (request, response, caller) => {
      sendJson(response, 200, await readWorkspace(db, caller, pathId(request)));
    },
  );
}

/** PATCH /api/workspaces/{id} */
export function updateWorkspace({ db }: ResourceContext): Route {
  return forKey(
    'PATCH',
    '/api/workspaces/:id',
    'workspaces:write',
    {
      summary: 'Update a workspace',
      description: 'Changes its name, or the workflow that is started when runs fail. Needs the role admin.',
      returns: 'The updated workspace',
      body: UpdateWorkspaceBody,
      responses: { 200: WorkspaceEntry },
    },
    async (request, response, caller) => {
      const id = pathId(request);
      const changes = parseUpdate(await readBody(request));
      // Not in the schema: it used to demand a name, and may not demand more now.
      if (Object.keys(changes).length === 0) throw validationFailed([{ path: '', message: 'must have a member' }]);
      sendJson(response, 200, await update(db, caller, id, changes));
    },
  );
}

/** GET /api/workspaces/{id}/usage */
export function getWorkspaceUsage({ db }: ResourceContext): Route {
  return forKey(
    'GET',
    '/api/workspaces/:id/usage',
    'workspaces:read',
    {
      summary: 'Get the usage and the limits of a workspace',
      description: 'Every member may read them. Administrators of the instance set the limits.',
      returns: 'The current usage, and the limits',
      responses: { 200: WorkspaceUsageAndLimits },
    },
    async (request, response, caller) => {
      sendJson(response, 200, await readWorkspaceUsage(db, caller, pathId(request)));
    },
  );
}
