import {
  compileBody,
  CreateCredentialBody,
  secretFaults,
  validationFailed,
  CredentialEntry,
} from '@deckhand/contracts';
import { createCredential as create } from '@deckhand/db';
import { readBody } from '../../http/read-body.js';
import { sendJson } from '../../http/respond.js';
import { forKey, type Route } from '../../http/route.js';
import type { Services } from '../../services.js';

const parse = compileBody(CreateCredentialBody);

/** POST /api/credentials: the secret is encrypted and never comes back. */
export function createCredential({ db, secretBox }: Services): Route {
  return forKey(
    'POST',
    '/api/credentials',
    { summary: 'Keep a secret for nodes', body: CreateCredentialBody, answers: { 201: CredentialEntry } },
    async (request, response, caller) => {
      const { workspaceId, name, type, secret, ...limits } = parse(await readBody(request));
      const faults = secretFaults(type, secret);
      if (faults.length > 0) throw validationFailed(faults);
      const sealedSecret = await secretBox.seal(JSON.stringify(secret));
      const credential = { workspaceId: workspaceId.toLowerCase(), name, type, sealedSecret, ...limits };
      const entry = await create(db, caller, credential);
      sendJson(response, 201, entry);
    },
  );
}
