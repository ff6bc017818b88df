import {
  compileBody,
  secretIssues,
  UpdateCredentialBody,
  validationFailed,
  CredentialEntry,
} from '@deckhand/contracts';
import { readCredential, updateCredential as update } from '@deckhand/db';
import { readIfMatch, setStateTag } from '../../http/etag.js';
import { pathId } from '../../http/query.js';
import { readBody } from '../../http/read-body.js';
import { sendJson } from '../../http/respond.js';
import { forKey, type Route } from '../../http/route.js';
import type { Services } from '../../services.js';

const parse = compileBody(UpdateCredentialBody);

/** PATCH /api/credentials/{id} */
export function updateCredential({ db, secretBox }: Services): Route {
  return forKey(
    'PATCH',
    '/api/credentials/:id',
    {
      summary: 'Update a credential',
      description: 'Changes its name, its secret, who may use it, and where.',
      returns: 'The updated credential, without its secret',
      takesIfMatch: true,
      body: UpdateCredentialBody,
      responses: { 200: CredentialEntry },
    },
    async (request, response, caller) => {
      const id = pathId(request);
      const { name, secret, ...limits } = parse(await readBody(request));
      const { type } = await readCredential(db, caller, id);
      const issues = secret === undefined ? [] : secretIssues(type, secret);
      if (issues.length > 0) throw validationFailed(issues);
      const changes = {
        ...limits,
        ...(name === undefined ? {} : { name }),
        ...(secret === undefined ? {} : { sealedSecret: await secretBox.seal(JSON.stringify(secret)) }),
      };
      const changed = await update(db, caller, id, changes, readIfMatch(request));
      setStateTag(response, changed.updatedAt);
      sendJson(response, 200, changed);
    },
  );
}
