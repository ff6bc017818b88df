import { compileBody, WorkspaceLimits, WorkspaceLimitsBody } from '@deckhand/contracts';
import { readLimits as read, writeLimits as write } from '@deckhand/db';
import { pathId } from '../../http/query.js';
import { readBody } from '../../http/read-body.js';
import { sendJson } from '../../http/respond.js';
import { forSession, type Route } from '../../http/route.js';
import type { Services } from '../../services.js';

const PATH = '/api/admin/workspaces/:id/limits';
const parse = compileBody(WorkspaceLimitsBody);

/** GET /api/admin/workspaces/{id}/limits */
export function readLimits({ db }: Services): Route {
  return forSession(
    'GET',
    PATH,
    {
      summary: 'Get the limits of a workspace',
      description: 'For administrators of the instance.',
      returns: 'The limits; null means no limit',
      responses: { 200: WorkspaceLimits },
    },
    async (request, response, caller) => {
      sendJson(response, 200, await read(db, caller, pathId(request)));
    },
  );
}

/** PUT /api/admin/workspaces/{id}/limits */
export function writeLimits({ db }: Services): Route {
  return forSession(
    'PUT',
    PATH,
    {
      summary: 'Update the limits of a workspace',
      description: '`null` removes a limit. For administrators of the instance.',
      returns: 'The updated limits',
      body: WorkspaceLimitsBody,
      responses: { 200: WorkspaceLimits },
    },
    async (request, response, caller) => {
      const id = pathId(request);
      sendJson(response, 200, await write(db, caller, id, parse(await readBody(request))));
    },
  );
}
