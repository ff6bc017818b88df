import { SessionEntry, pageOf } from '@deckhand/contracts';
import { deleteOtherSessions, deleteOwnSession, listSessions as list } from '@deckhand/db';
import { pathId, readPage, PageQuery } from '../../http/read-request.ts';
import { sendJson, sendNothing } from '../../http/respond.ts';
import { forSession, type Route } from '../../http/route.ts';
import type { PeopleContext } from '../../contexts.ts';

/** GET /api/auth/sessions */
export function listSessions({ db, sessionLimits }: PeopleContext): Route {
  return forSession(
    'GET',
    '/api/auth/sessions',
    {
      summary: 'List your sessions',
      description: 'Lists the sessions that have neither expired nor been idle for too long.',
      returns: 'Your sessions',
      query: PageQuery,
      responses: { 200: pageOf(SessionEntry) },
    },
    async (request, response, caller) => {
      sendJson(response, 200, await list(db, caller, readPage(request), sessionLimits));
    },
  );
}

/** DELETE /api/auth/sessions/{id} */
export function endSession({ db }: PeopleContext): Route {
  return forSession(
    'DELETE',
    '/api/auth/sessions/:id',
    {
      summary: 'End one of your sessions',
      description: 'The current session can be ended too.',
      responses: { 204: null },
    },
    async (request, response, caller) => {
      await deleteOwnSession(db, caller.userId, pathId(request));
      sendNothing(response);
    },
  );
}

/** DELETE /api/auth/sessions */
export function endOtherSessions({ db }: PeopleContext): Route {
  return forSession(
    'DELETE',
    '/api/auth/sessions',
    {
      summary: 'End all your other sessions',
      description: 'The session of the request stays.',
      responses: { 204: null },
    },
    async (_request, response, { userId, sessionId }) => {
      await deleteOtherSessions(db, userId, sessionId);
      sendNothing(response);
    },
  );
}
