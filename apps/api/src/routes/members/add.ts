import { AddMemberBody, compileBody, MemberEntry } from '@deckhand/contracts';
import { addMember as add } from '@deckhand/db';
import { pathId } from '../../http/query.js';
import { readBody } from '../../http/read-body.js';
import { forKey, type Route } from '../../http/route.js';
import type { Services } from '../../services.js';

const parse = compileBody(AddMemberBody);

/** POST /api/workspaces/{id}/members */
export function addMember({ db, answerOnce }: Services): Route {
  return forKey(
    'POST',
    '/api/workspaces/:id/members',
    {
      summary: 'Add a member',
      description: 'The person must have an account. Invite others.',
      returns: 'The member',
      takesIdempotencyKey: true,
      body: AddMemberBody,
      responses: { 201: MemberEntry },
      errors: ['CONFLICT'],
    },
    async (request, response, caller) => {
      const id = pathId(request);
      const body = parse(await readBody(request));
      await answerOnce({ request, response, caller, body }, async (actor) => ({
        status: 201,
        body: await add(db, actor, id, body),
      }));
    },
  );
}
