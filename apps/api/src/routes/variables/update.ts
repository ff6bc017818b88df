import { compileBody, UpdateVariableBody, VariableEntry } from '@deckhand/contracts';
import { updateVariable as update } from '@deckhand/db';
import { readIfMatch, setStateTag } from '../../http/etag.js';
import { pathId } from '../../http/query.js';
import { readBody } from '../../http/read-body.js';
import { sendJson } from '../../http/respond.js';
import { forKey, type Route } from '../../http/route.js';
import type { Services } from '../../services.js';

const parse = compileBody(UpdateVariableBody);

/** PATCH /api/variables/{id} */
export function updateVariable({ db }: Services): Route {
  return forKey(
    'PATCH',
    '/api/variables/:id',
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
      const changed = await update(db, caller, id, parse(await readBody(request)), readIfMatch(request));
      setStateTag(response, changed.updatedAt);
      sendJson(response, 200, changed);
    },
  );
}
