import { AddMemberBody, compileBody, MemberEntry } from '@deckhand/contracts';
import { addMember as add } from '@deckhand/db';
import { pathId } from '../../http/query.js';
import { readBody } from '../../http/read-body.js';
import { sendJson } from '../../http/respond.js';
import { forKey, type Route } from '../../http/route.js';
import type { Services } from '../../services.js';

const parse = compileBody(AddMemberBody);

/** POST /api/workspaces/{id}/members: somebody who has an account; others are invited. */
export function addMember({ db }: Services): Route {
  return forKey(
    'POST',
    '/api/workspaces/:id/members',
    { summary: 'Add a member', body: AddMemberBody, answers: { 201: MemberEntry }, errors: ['CONFLICT'] },
    async (request, response, caller) => {
      const id = pathId(request);
      sendJson(response, 201, await add(db, caller, id, parse(await readBody(request))));
    },
  );
}
