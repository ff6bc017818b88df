import { compileBody, FailureGroup, ListFailureGroupsQuery, pageOf, UpdateFailureGroupBody } from '@deckhand/contracts';
import { listFailureGroups as list, readFailureGroup, updateFailureGroup as update } from '@deckhand/db';
import { pathId, queryReader } from '../../http/read-request.ts';
import { readBody } from '../../http/read-body.ts';
import { sendJson } from '../../http/respond.ts';
import { forKey, type Route } from '../../http/route.ts';
import type { RunContext } from '../../contexts.ts';

const readListQuery = queryReader(ListFailureGroupsQuery);

/** GET /api/failure-groups */
export function listFailureGroups({ db }: RunContext): Route {
  return forKey(
    'GET',
    '/api/failure-groups',
    'executions:read',
    {
      summary: 'List failure groups',
      description:
        'Lists the groups of runs of a workspace that failed or timed out with the same type of node, code and message. A run is in its group about a second after its end.',
      returns: 'Failure groups, the latest failure first',
      query: ListFailureGroupsQuery,
      responses: { 200: pageOf(FailureGroup) },
    },
    async (request, response, caller) => {
      sendJson(response, 200, await list(db, caller, readListQuery(request)));
    },
  );
}

/** GET /api/failure-groups/{id} */
export function getFailureGroup({ db }: RunContext): Route {
  return forKey(
    'GET',
    '/api/failure-groups/:id',
    'executions:read',
    {
      summary: 'Get a failure group',
      description: 'The list of runs has its runs, with the filter `failureGroup`.',
      returns: 'The failure group',
      responses: { 200: FailureGroup },
    },
    async (request, response, caller) => {
      sendJson(response, 200, await readFailureGroup(db, caller, pathId(request)));
    },
  );
}

const parseUpdate = compileBody(UpdateFailureGroupBody);

/** PATCH /api/failure-groups/{id} */
export function updateFailureGroup({ db }: RunContext): Route {
  return forKey(
    'PATCH',
    '/api/failure-groups/:id',
    'executions:write',
    {
      summary: 'Change the state of a failure group',
      description:
        'Ignores, resolves or opens it. A resolved group opens by itself when a run fails alike after that; an ignored one stays ignored.',
      returns: 'The failure group',
      body: UpdateFailureGroupBody,
      responses: { 200: FailureGroup },
    },
    async (request, response, caller) => {
      const id = pathId(request);
      const { state } = parseUpdate(await readBody(request));
      sendJson(response, 200, await update(db, caller, id, state));
    },
  );
}
