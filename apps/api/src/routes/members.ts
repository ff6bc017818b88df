import { AddMemberBody, compileBody, DeckhandError, MemberEntry, pageOf, UpdateMemberBody } from '@deckhand/contracts';
import {
  addMember as add,
  leaveWorkspace as leave,
  listMembers as list,
  removeMember as remove,
  updateMember as update,
} from '@deckhand/db';
import { PageQuery, pathId, readPage } from '../http/read-request.ts';
import { readBody } from '../http/read-body.ts';
import { sendJson, sendNothing } from '../http/respond.ts';
import { forKey, forSession, type Route } from '../http/route.ts';
import type { ResourceContext } from '../contexts.ts';

const parseAdd = compileBody(AddMemberBody);

/** POST /api/workspaces/{id}/members */
export function addMember({ db, answerOnce }: ResourceContext): Route {
  return forKey(
    'POST',
    '/api/workspaces/:id/members',
    'workspaces:write',
    {
      summary: 'Add a member',
      confirmsPerson: true,
      description: 'The person must have an account. Invite others.',
      returns: 'The member',
      takesIdempotencyKey: true,
      body: AddMemberBody,
      responses: { 201: MemberEntry },
      errors: ['CONFLICT'],
    },
    async (request, response, caller) => {
      const id = pathId(request);
      const body = parseAdd(await readBody(request));
      await answerOnce({ request, response, caller, body }, async (actor) => ({
        status: 201,
        body: await add(db, actor, id, body),
      }));
    },
  );
}

/** DELETE /api/workspaces/{id}/membership */
export function leaveWorkspace({ db }: ResourceContext): Route {
  return forSession(
    'DELETE',
    '/api/workspaces/:id/membership',
    {
      summary: 'Leave a workspace',
      description: 'The last owner cannot leave.',
      responses: { 204: null },
      errors: ['CONFLICT'],
    },
    async (request, response, caller) => {
      await leave(db, caller, pathId(request));
      sendNothing(response);
    },
  );
}

/** GET /api/workspaces/{id}/members */
export function listMembers({ db }: ResourceContext): Route {
  return forKey(
    'GET',
    '/api/workspaces/:id/members',
    'workspaces:read',
    {
      summary: 'List members',
      description: 'Every member may list them.',
      returns: 'Members with their roles, the earliest first',
      query: PageQuery,
      responses: { 200: pageOf(MemberEntry) },
    },
    async (request, response, caller) => {
      sendJson(response, 200, await list(db, caller, pathId(request), readPage(request)));
    },
  );
}

/** DELETE /api/workspaces/{id}/members/{userId} */
export function removeMember({ db }: ResourceContext): Route {
  return forKey(
    'DELETE',
    '/api/workspaces/:id/members/:userId',
    'workspaces:write',
    {
      summary: 'Remove a member',
      confirmsPerson: true,
      description: 'The last owner cannot be removed.',
      responses: { 204: null },
      errors: ['CONFLICT'],
    },
    async (request, response, caller) => {
      const [id, userId] = [pathId(request), pathId(request, 'userId')];
      // Leaving a workspace always needs a session.
      if (caller.kind === 'key' && userId === caller.userId) throw new DeckhandError('SESSION_REQUIRED');
      await remove(db, caller, id, userId);
      sendNothing(response);
    },
  );
}

const parseUpdate = compileBody(UpdateMemberBody);

/** PATCH /api/workspaces/{id}/members/{userId} */
export function updateMember({ db }: ResourceContext): Route {
  return forKey(
    'PATCH',
    '/api/workspaces/:id/members/:userId',
    'workspaces:write',
    {
      summary: "Change a member's role",
      confirmsPerson: true,
      description: 'Only owners grant and revoke the role owner. A workspace always has an owner.',
      returns: 'The updated member',
      body: UpdateMemberBody,
      responses: { 200: MemberEntry },
      errors: ['CONFLICT'],
    },
    async (request, response, caller) => {
      const [id, userId] = [pathId(request), pathId(request, 'userId')];
      const { role } = parseUpdate(await readBody(request));
      sendJson(response, 200, await update(db, caller, id, userId, role));
    },
  );
}
