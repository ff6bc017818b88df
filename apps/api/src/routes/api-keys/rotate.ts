import { compileBody, CreatedApiKey, RotateApiKeyBody, toDate, validationFailed } from '@deckhand/contracts';
import { readOwnApiKey, rotateApiKey as rotate } from '@deckhand/db';
import { confirmPassword } from '../../auth/confirm-password.js';
import { createApiKeyText, hashSecret, keyPrefix } from '../../auth/tokens.js';
import { pathId } from '../../http/query.js';
import { readBody } from '../../http/read-body.js';
import { sendJson } from '../../http/respond.js';
import { forSession, type Route } from '../../http/route.js';
import type { Services } from '../../services.js';

const parse = compileBody(RotateApiKeyBody);

/** How long the replaced key stays valid by default. */
const OVERLAP_SECONDS = 86_400;

/** POST /api/api-keys/{id}/rotate */
export function rotateApiKey(services: Services): Route {
  const { db, secretBox } = services;
  return forSession(
    'POST',
    '/api/api-keys/:id/rotate',
    {
      summary: 'Rotate an API key',
      description:
        'Creates a key with the same name, scopes and workspace. The replaced key stays valid for the overlap. The response is the only one that contains the new key.',
      returns: 'The new key',
      body: RotateApiKeyBody,
      responses: { 201: CreatedApiKey },
      errors: ['INVALID_STATE', 'RATE_LIMITED'],
    },
    async (request, response, caller) => {
      const id = pathId(request);
      const { password, overlapSeconds = OVERLAP_SECONDS, expiresAt } = parse(await readBody(request));
      const expiry = typeof expiresAt === 'string' ? toDate(expiresAt) : expiresAt;
      if (expiry && expiry.getTime() <= Date.now()) {
        throw validationFailed([{ path: 'expiresAt', message: 'is in the past' }]);
      }
      await readOwnApiKey(db, caller.userId, id);
      await confirmPassword(services, { request, caller, password });
      const key = createApiKeyText();
      const entry = await rotate(db, caller, id, {
        keyPrefix: keyPrefix(key),
        keyHash: hashSecret(key),
        expiresAt: expiry,
        credentialSecret: await secretBox.seal(JSON.stringify({ value: key })),
        overlapMs: overlapSeconds * 1_000,
      });
      const { name, access, scopes, createdAt, state, workspaceId, credentialId } = entry;
      const shown = { id: entry.id, name, key, access, scopes, expiresAt: entry.expiresAt, createdAt, state };
      sendJson(response, 201, { ...shown, workspaceId, credentialId });
    },
  );
}
