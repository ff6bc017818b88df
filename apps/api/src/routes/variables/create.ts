import { compileBody, CreateVariableBody, VariableEntry } from '@deckhand/contracts';
import { createVariable as create } from '@deckhand/db';
import { readBody } from '../../http/read-body.js';
import { forKey, type Route } from '../../http/route.js';
import type { Services } from '../../services.js';

const parse = compileBody(CreateVariableBody);

/** POST /api/variables */
export function createVariable({ db, answerOnce }: Services): Route {
  return forKey(
    'POST',
    '/api/variables',
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
      const body = parse(await readBody(request));
      await answerOnce({ request, response, caller, body }, async (actor) => ({
        status: 201,
        body: await create(db, actor, { ...body, workspaceId: body.workspaceId.toLowerCase() }),
      }));
    },
  );
}
