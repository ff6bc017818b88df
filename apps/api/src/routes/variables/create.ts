import { compileBody, CreateVariableBody, VariableEntry } from '@deckhand/contracts';
import { createVariable as create } from '@deckhand/db';
import { readBody } from '../../http/read-body.js';
import { sendJson } from '../../http/respond.js';
import { forKey, type Route } from '../../http/route.js';
import type { Services } from '../../services.js';

const parse = compileBody(CreateVariableBody);

/** POST /api/variables: nodes read it as `$vars.name`. */
export function createVariable({ db }: Services): Route {
  return forKey(
    'POST',
    '/api/variables',
    { summary: 'Create a variable', body: CreateVariableBody, answers: { 201: VariableEntry }, errors: ['CONFLICT'] },
    async (request, response, caller) => {
      const body = parse(await readBody(request));
      sendJson(response, 201, await create(db, caller, { ...body, workspaceId: body.workspaceId.toLowerCase() }));
    },
  );
}
