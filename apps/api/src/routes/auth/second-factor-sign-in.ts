import { compileBody, FinishSignInBody, LoginResponse, PendingSignIn } from '@deckhand/contracts';
import { ensureBrowserSecret, readBrowserSecret } from '../../auth/browser-cookie.ts';
import type { PeopleContext } from '../../contexts.ts';
import { MAX_ANONYMOUS_BODY_BYTES, readBody } from '../../http/read-body.ts';
import { refuseBody } from '../../http/refuse-body.ts';
import { sendJson } from '../../http/respond.ts';
import { open, type Route } from '../../http/route.ts';

/** POST /api/auth/login/passkey */
export function startPasskeySignIn({ pendingSignIns, signOnLimit, publicUrl }: PeopleContext): Route {
  return open(
    'POST',
    '/api/auth/login/passkey',
    {
      summary: 'Start to sign in by a passkey',
      description:
        'Sets a cookie that binds the sign-in to this browser. Finish it by `POST /api/auth/login/second-factor` within five minutes.',
      returns: 'What the browser asks the authenticator for',
      responses: { 200: PendingSignIn },
      errors: ['RATE_LIMITED'],
    },
    async (request, response) => {
      await refuseBody(request);
      await signOnLimit.count(request.ip ?? '');
      const browser = ensureBrowserSecret(request, response, publicUrl);
      sendJson(response, 200, await pendingSignIns.startPasskey(browser));
    },
  );
}

const parseFinish = compileBody(FinishSignInBody);

/** POST /api/auth/login/second-factor */
export function finishSignIn({ pendingSignIns, publicUrl }: PeopleContext): Route {
  return open(
    'POST',
    '/api/auth/login/second-factor',
    {
      summary: 'Finish a sign-in by a second factor or a passkey',
      description:
        'Works once, in the browser that started, within five minutes. A wrong proof can be repeated, a few times.',
      returns: 'The token of the session, and its person',
      body: FinishSignInBody,
      responses: { 200: LoginResponse },
      errors: ['UNAUTHORIZED', 'SSO_REQUIRED', 'RATE_LIMITED'],
    },
    async (request, response) => {
      const { state, ...proof } = parseFinish(await readBody(request, MAX_ANONYMOUS_BODY_BYTES));
      const browser = readBrowserSecret(request, publicUrl) ?? '';
      sendJson(response, 200, await pendingSignIns.finish(request, { state, browser, proof }));
    },
  );
}
