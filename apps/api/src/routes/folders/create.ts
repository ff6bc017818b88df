import { compileBody, CreateFolderBody, FolderEntry } from '@deckhand/contracts';
import { createFolder as create } from '@deckhand/db';
import { readBody } from '../../http/read-body.js';
import { forKey, type Route } from '../../http/route.js';
import type { Services } from '../../services.js';

const parse = compileBody(CreateFolderBody);

/** POST /api/folders */
export function createFolder({ db, answerOnce }: Services): Route {
  return forKey(
    'POST',
    '/api/folders',
    {
      summary: 'Create a folder',
      description: 'Creates it at the top level of the workspace, or in another folder.',
      returns: 'The folder',
      takesIdempotencyKey: true,
      body: CreateFolderBody,
      responses: { 201: FolderEntry },
    },
    async (request, response, caller) => {
      const body = parse(await readBody(request));
      await answerOnce({ request, response, caller, body }, async (actor) => ({
        status: 201,
        body: await create(db, actor, { ...body, workspaceId: body.workspaceId.toLowerCase() }),
      }));
    },
  );
}
