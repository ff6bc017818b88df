import { compileBody, UpdateMemberBody, MemberEntry } from '@deckhand/contracts';
import { updateMember as update } from '@deckhand/db';
import { pathId } from '../../http/query.js';
import { readBody } from '../../http/read-body.js';
import { sendJson } from '../../http/respond.js';
import { forKey, type Route } from '../../http/route.js';
import type { Services } from '../../services.js';

const parse = compileBody(UpdateMemberBody);

/** PATCH /api/workspaces/{id}/members/{userId} */
export function updateMember({ db }: Services): Route {
  return forKey(
    'PATCH',
    '/api/workspaces/:id/members/:userId',
    {
      summary: "Change a member's role",
      description: 'Only owners grant and revoke the role owner. A workspace always has an owner.',
      returns: 'The updated member',
      body: UpdateMemberBody,
      responses: { 200: MemberEntry },
      errors: ['CONFLICT'],
    },
    async (request, response, caller) => {
      const [id, userId] = [pathId(request), pathId(request, 'userId')];
      const { role } = parse(await readBody(request));
      sendJson(response, 200, await update(db, caller, id, userId, role));
    },
  );
}
