import { compileBody, WorkspaceLimits, WorkspaceLimitsBody } from '@deckhand/contracts';
import { readLimits as read, writeLimits as write } from '@deckhand/db';
import { pathId } from '../../http/query.js';
import { readBody } from '../../http/read-body.js';
import { sendJson } from '../../http/respond.js';
import { forSession, type Route } from '../../http/route.js';
import type { Services } from '../../services.js';

const PATH = '/api/admin/workspaces/:id/limits';
const parse = compileBody(WorkspaceLimitsBody);

/** GET /api/admin/workspaces/{id}/limits: for administrators of the instance, members or not. */
export function readLimits({ db }: Services): Route {
  return forSession(
    'GET',
    PATH,
    {
      summary: 'Read the limits of a workspace',
      returns: 'The limits; null where there is none',
      responses: { 200: WorkspaceLimits },
    },
    async (request, response, caller) => {
      sendJson(response, 200, await read(db, caller, pathId(request)));
    },
  );
}

/** PUT /api/admin/workspaces/{id}/limits: null lifts one. */
export function writeLimits({ db }: Services): Route {
  return forSession(
    'PUT',
    PATH,
    {
      summary: 'Set the limits of a workspace',
      returns: 'The limits as they are now',
      body: WorkspaceLimitsBody,
      responses: { 200: WorkspaceLimits },
    },
    async (request, response, caller) => {
      const id = pathId(request);
      sendJson(response, 200, await write(db, caller, id, parse(await readBody(request))));
    },
  );
}
