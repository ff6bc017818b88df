import { compileBody, CreateInviteBody, CreatedInvite } from '@deckhand/contracts';
import { createInvite as create } from '@deckhand/db';
import { createSessionToken, hashSecret } from '../../auth/tokens.js';
import { pathId } from '../../http/query.js';
import { readBody } from '../../http/read-body.js';
import { sendJson } from '../../http/respond.js';
import { forSession, type Route } from '../../http/route.js';
import type { Services } from '../../services.js';

const parse = compileBody(CreateInviteBody);

/** POST /api/workspaces/{id}/invites */
export function createInvite({ db }: Services): Route {
  return forSession(
    'POST',
    '/api/workspaces/:id/invites',
    {
      summary: 'Create an invite',
      description: 'The response is the only one that contains the token of the link, which is valid for 7 days.',
      returns: 'The invite with its token',
      body: CreateInviteBody,
      responses: { 201: CreatedInvite },
      errors: ['CONFLICT'],
    },
    async (request, response, caller) => {
      const workspaceId = pathId(request);
      const { email = null, role } = parse(await readBody(request));
      const token = createSessionToken();
      const invite = await create(db, caller, { workspaceId, email, role, tokenHash: hashSecret(token) });
      sendJson(response, 201, { ...invite, token });
    },
  );
}
