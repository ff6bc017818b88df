import {
  compileBody,
  CreateFolderBody,
  FolderEntry,
  InWorkspaceQuery,
  pageOf,
  UpdateFolderBody,
} from '@deckhand/contracts';
import {
  createFolder as create,
  deleteFolder as remove,
  listFolders as list,
  updateFolder as update,
} from '@deckhand/db';
import { pathId, queryReader } from '../http/read-request.ts';
import { readBody } from '../http/read-body.ts';
import { sendJson, sendNothing } from '../http/respond.ts';
import { forKey, type Route } from '../http/route.ts';
import type { ResourceContext } from '../contexts.ts';

const parseCreate = compileBody(CreateFolderBody);

/** POST /api/folders */
export function createFolder({ db, answerOnce }: ResourceContext): Route {
  return forKey(
    'POST',
    '/api/folders',
    'folders:write',
    {
      summary: 'Create a folder',
      description: 'Creates it at the top level of the workspace, or in another folder.',
      returns: 'The folder',
      takesIdempotencyKey: true,
      body: CreateFolderBody,
      responses: { 201: FolderEntry },
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

/** DELETE /api/folders/{id} */
export function deleteFolder({ db }: ResourceContext): Route {
  return forKey(
    'DELETE',
    '/api/folders/:id',
    'folders:write',
    {
      summary: 'Delete a folder',
      description: 'Deletes its subfolders too. Their workflows move to the top level.',
      responses: { 204: null },
    },
    async (request, response, caller) => {
      await remove(db, caller, pathId(request));
      sendNothing(response);
    },
  );
}

const readQuery = queryReader(InWorkspaceQuery);

/** GET /api/folders */
export function listFolders({ db }: ResourceContext): Route {
  return forKey(
    'GET',
    '/api/folders',
    'folders:read',
    {
      summary: 'List folders',
      description: 'Lists all folders of the workspace; `parentId` gives the tree.',
      returns: 'Folders by name',
      query: InWorkspaceQuery,
      responses: { 200: pageOf(FolderEntry) },
    },
    async (request, response, caller) => {
      sendJson(response, 200, await list(db, caller, readQuery(request)));
    },
  );
}

const parseUpdate = compileBody(UpdateFolderBody);

/** PATCH /api/folders/{id} */
export function updateFolder({ db }: ResourceContext): Route {
  return forKey(
    'PATCH',
    '/api/folders/:id',
    'folders:write',
    {
      summary: 'Update a folder',
      description: 'Renames or moves it.',
      returns: 'The updated folder',
      body: UpdateFolderBody,
      responses: { 200: FolderEntry },
      errors: ['CONFLICT'],
    },
    async (request, response, caller) => {
      const id = pathId(request);
      sendJson(response, 200, await update(db, caller, id, parseUpdate(await readBody(request))));
    },
  );
}
