import { CredentialEntry } from '@deckhand/contracts';
import { readCredential as read } from '@deckhand/db';
import { setStateTag } from '../../http/etag.js';
import { pathId } from '../../http/query.js';
import { sendJson } from '../../http/respond.js';
import { forKey, type Route } from '../../http/route.js';
import type { Services } from '../../services.js';

/** GET /api/credentials/{id} */
export function readCredential({ db }: Services): Route {
  return forKey(
    'GET',
    '/api/credentials/:id',
    {
      summary: 'Get a credential',
      description: 'The response never contains the secret.',
      returns: 'The credential',
      responses: { 200: CredentialEntry },
    },
    async (request, response, caller) => {
      const credential = await read(db, caller, pathId(request));
      setStateTag(response, credential.updatedAt);
      sendJson(response, 200, credential);
    },
  );
}
