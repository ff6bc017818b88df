import {
  compileBody,
  CreateCredentialBody,
  secretIssues,
  validationFailed,
  CredentialEntry,
} from '@deckhand/contracts';
import { createCredential as create } from '@deckhand/db';
import { readBody } from '../../http/read-body.js';
import { forKey, type Route } from '../../http/route.js';
import type { Services } from '../../services.js';

const parse = compileBody(CreateCredentialBody);

/** POST /api/credentials */
export function createCredential({ db, secretBox, answerOnce }: Services): Route {
  return forKey(
    'POST',
    '/api/credentials',
    {
      summary: 'Create a credential',
      description: 'The secret is encrypted, and no response contains it.',
      returns: 'The credential, without its secret',
      takesIdempotencyKey: true,
      body: CreateCredentialBody,
      responses: { 201: CredentialEntry },
    },
    async (request, response, caller) => {
      const body = parse(await readBody(request));
      const { workspaceId, name, type, secret, ...limits } = body;
      const issues = secretIssues(type, secret);
      if (issues.length > 0) throw validationFailed(issues);
      await answerOnce({ request, response, caller, body }, async (actor) => {
        const sealedSecret = await secretBox.seal(JSON.stringify(secret));
        const credential = { workspaceId: workspaceId.toLowerCase(), name, type, sealedSecret, ...limits };
        return { status: 201, body: await create(db, actor, credential) };
      });
    },
  );
}
