import { compileBody, CreateWorkspaceBody, DeckhandError, WorkspaceEntry } from '@deckhand/contracts';
import { createWorkspace as create } from '@deckhand/db';
import { readBody } from '../../http/read-body.js';
import { forKey, type Route } from '../../http/route.js';
import type { Services } from '../../services.js';

const parse = compileBody(CreateWorkspaceBody);

/** POST /api/workspaces */
export function createWorkspace({ db, answerOnce }: Services): Route {
  return forKey(
    'POST',
    '/api/workspaces',
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
