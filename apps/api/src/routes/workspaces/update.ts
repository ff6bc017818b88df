import { compileBody, CreateWorkspaceBody, WorkspaceEntry } from '@deckhand/contracts';
import { renameWorkspace } from '@deckhand/db';
import { pathId } from '../../http/query.js';
import { readBody } from '../../http/read-body.js';
import { sendJson } from '../../http/respond.js';
import { forKey, type Route } from '../../http/route.js';
import type { Services } from '../../services.js';

const parse = compileBody(CreateWorkspaceBody);

/** PATCH /api/workspaces/{id} */
export function updateWorkspace({ db }: Services): Route {
  return forKey(
    'PATCH',
    '/api/workspaces/:id',
    {
      summary: 'Rename a workspace',
      description: 'Needs the role admin.',
      returns: 'The updated workspace',
      body: CreateWorkspaceBody,
      responses: { 200: WorkspaceEntry },
    },
    async (request, response, caller) => {
      const id = pathId(request);
      const { name } = parse(await readBody(request));
      sendJson(response, 200, await renameWorkspace(db, caller, id, name));
    },
  );
}
