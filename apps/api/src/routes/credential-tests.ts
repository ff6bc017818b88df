import { compileBody, CredentialTest, TestCredentialBody } from '@deckhand/contracts';
import type { ResourceContext } from '../contexts.ts';
import { testCredential as test } from '../credentials/test-credential.ts';
import { clientGone } from '../http/client-gone.ts';
import { pathId } from '../http/read-request.ts';
import { readBody } from '../http/read-body.ts';
import { sendJson } from '../http/respond.ts';
import { forKey, type Route } from '../http/route.ts';

const parseTest = compileBody(TestCredentialBody);

/** POST /api/credentials/{id}/test */
export function testCredential(context: ResourceContext): Route {
  return forKey(
    'POST',
    '/api/credentials/:id/test',
    { scope: 'credentials:write', also: 'workflows:write' },
    {
      summary: 'Test a credential',
      confirmsPerson: true,
      description:
        'Sends one harmless request with it, for at most ten seconds. Credentials that name their server need nothing else; for others, give a `connector` and its `version`, or the `url` to get.',
      returns: 'Whether the service accepted it. The credential shows it as `lastTest`',
      body: TestCredentialBody,
      responses: { 200: CredentialTest },
      errors: ['FORBIDDEN', 'SERVICE_UNAVAILABLE'],
    },
    async (request, response, caller) => {
      const body = parseTest(await readBody(request));
      sendJson(response, 200, await test(context, caller, { id: pathId(request), body, gone: clientGone(response) }));
    },
  );
}
