import { WhoAmI } from '@deckhand/contracts';
import { listRoles, readApiKey } from '@deckhand/db';
import { sendJson } from '../http/respond.ts';
import { forKey, type Route } from '../http/route.ts';
import type { PeopleContext } from '../contexts.ts';

/** GET /api/me */
export function getMe({ db }: PeopleContext): Route {
  return forKey(
    'GET',
    '/api/me',
    'me:read',
    {
      summary: 'Get the caller',
      description: 'Returns the scopes of an API key, or the signed-in person. Any scope is sufficient.',
      returns: 'The key, or the person and their workspaces',
      responses: { 200: WhoAmI },
    },
    async (_request, response, caller) => {
      if (caller.kind === 'session') {
        sendJson(response, 200, { user: caller.user, workspaces: await listRoles(db, caller.userId) });
        return;
      }
      const { id, name, scopes, workspaceId, expiresAt } = await readApiKey(db, caller.apiKeyId);
      sendJson(response, 200, { apiKey: { id, name, scopes, workspaceId, expiresAt } });
    },
  );
}
