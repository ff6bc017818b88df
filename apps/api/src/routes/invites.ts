import { compileBody, CreatedInvite, CreateInviteBody, InviteEntry, pageOf } from '@deckhand/contracts';
import { createInvite as create, deleteInvite as remove, listInvites as list } from '@deckhand/db';
import { createSecret, hashSecret } from '../auth/tokens.ts';
import { PageQuery, pathId, readPage } from '../http/read-request.ts';
import { readBody } from '../http/read-body.ts';
import { sendJson, sendNothing } from '../http/respond.ts';
import { forSession, type Route } from '../http/route.ts';
import type { ResourceContext } from '../contexts.ts';

const parse = compileBody(CreateInviteBody);

/** POST /api/workspaces/{id}/invites */
export function createInvite({ db }: ResourceContext): Route {
  return forSession(
    'POST',
    '/api/workspaces/:id/invites',
    {
      summary: 'Create an invite',
      confirmsPerson: true,
      description: 'The response is the only one that contains the token of the link, which is valid for 7 days.',
      returns: 'The invite with its token',
      body: CreateInviteBody,
      responses: { 201: CreatedInvite },
      errors: ['CONFLICT'],
    },
    async (request, response, caller) => {
      const workspaceId = pathId(request);
      const { email = null, role } = parse(await readBody(request));
      const token = createSecret();
      const invite = await create(db, caller, { workspaceId, email, role, tokenHash: hashSecret(token) });
      sendJson(response, 201, { ...invite, token });
    },
  );
}

/** DELETE /api/workspaces/{id}/invites/{inviteId} */
export function deleteInvite({ db }: ResourceContext): Route {
  return forSession(
    'DELETE',
    '/api/workspaces/:id/invites/:inviteId',
    { summary: 'Delete an invite', description: 'Its link becomes invalid.', responses: { 204: null } },
    async (request, response, caller) => {
      await remove(db, caller, pathId(request), pathId(request, 'inviteId'));
      sendNothing(response);
    },
  );
}

/** GET /api/workspaces/{id}/invites */
export function listInvites({ db }: ResourceContext): Route {
  return forSession(
    'GET',
    '/api/workspaces/:id/invites',
    {
      summary: 'List invites',
      description: 'Lists open, accepted and expired invites, without their tokens.',
      returns: 'Invites, the newest first',
      query: PageQuery,
      responses: { 200: pageOf(InviteEntry) },
    },
    async (request, response, caller) => {
      sendJson(response, 200, await list(db, caller, pathId(request), readPage(request)));
    },
  );
}
