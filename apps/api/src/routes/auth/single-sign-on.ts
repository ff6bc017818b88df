import {
  compileBody,
  DeckhandError,
  FinishedSignOn,
  FinishSignOnBody,
  PendingSignOn,
  SignedOff,
  StartedSignOn,
  StartSignOnBody,
} from '@deckhand/contracts';
import { deleteSession } from '@deckhand/db';
import { readBrowserSecret, setBrowserSecret } from '../../auth/browser-cookie.ts';
import { openSession } from '../../auth/open-session.ts';
import { createSecret } from '../../auth/tokens.ts';
import type { SingleSignOn } from '../../auth/single-sign-on.ts';
import type { PeopleContext } from '../../contexts.ts';
import { MAX_ANONYMOUS_BODY_BYTES, readBody, readOptionalBody } from '../../http/read-body.ts';
import { refuseBody } from '../../http/refuse-body.ts';
import { sendJson } from '../../http/respond.ts';
import { forSession, open, type Route } from '../../http/route.ts';

/** Maximum size of a body with the query of a redirect, in bytes. */
const MAX_REDIRECT_BODY_BYTES = 32_768;

const parseStart = compileBody(StartSignOnBody);

/** POST /api/auth/sso/start */
export function startSignOn({ singleSignOn, signOnLimit, publicUrl }: PeopleContext): Route {
  return open(
    'POST',
    '/api/auth/sso/start',
    {
      summary: 'Start a single sign-on',
      description:
        'Sets a cookie that binds the sign-in to this browser for ten minutes. Open `authorizationUrl` in the same browser.',
      returns: 'The page of the identity provider',
      body: StartSignOnBody,
      isBodyOptional: true,
      responses: { 200: StartedSignOn },
      errors: ['NOT_FOUND', 'SSO_FAILED', 'RATE_LIMITED'],
    },
    async (request, response) => {
      const { next = null } = parseStart(await readOptionalBody(request, MAX_ANONYMOUS_BODY_BYTES));
      const available = requireSignOn(singleSignOn);
      await signOnLimit.count(request.ip ?? '');
      // Several tabs share the secret, so that each can finish.
      const browser = readBrowserSecret(request, publicUrl) ?? createSecret();
      const authorizationUrl = await available.start(browser, next);
      setBrowserSecret(response, publicUrl, browser);
      sendJson(response, 200, { authorizationUrl });
    },
  );
}

const parseFinish = compileBody(FinishSignOnBody);

/** POST /api/auth/sso/finish */
export function finishSignOn(context: PeopleContext): Route {
  const { singleSignOn, signOnLimit, publicUrl, pendingSignIns, asksAfterSignOn } = context;
  return open(
    'POST',
    '/api/auth/sso/finish',
    {
      summary: 'Finish a single sign-on',
      description:
        'The console calls it with the query of the redirect back from the identity provider. Works once, in the browser that started, within ten minutes. If the instance asks for a second factor after it, a person who has one gets no session (202).',
      returns: 'The token of the session, and its person; or the second step',
      body: FinishSignOnBody,
      responses: { 200: FinishedSignOn, 202: PendingSignOn },
      errors: ['NOT_FOUND', 'SSO_FAILED', 'SSO_REFUSED', 'RATE_LIMITED'],
    },
    async (request, response) => {
      const { parameters } = parseFinish(await readBody(request, MAX_REDIRECT_BODY_BYTES));
      const available = requireSignOn(singleSignOn);
      await signOnLimit.count(request.ip ?? '');
      const browser = readBrowserSecret(request, publicUrl) ?? '';
      const given = { parameters: new URLSearchParams(parameters), browser };
      const { user, by, next } = await available.finish(request, given);
      if (!asksAfterSignOn) {
        const session = await openSession(context, user, request, { ...by, isSecondFactorProved: true });
        sendJson(response, 200, { ...session, next });
        return;
      }
      const outcome = await pendingSignIns.signIn(request, { user, by, browser });
      if (outcome.kind === 'signedIn') {
        sendJson(response, 200, { ...outcome.session, next });
        return;
      }
      // The cookie is as old as the start of the sign-on, and the second step has its own time.
      setBrowserSecret(response, publicUrl, browser);
      sendJson(response, 202, { ...outcome.pending, next });
    },
  );
}

/** POST /api/auth/sso/logout */
export function signOff({ db, singleSignOn }: PeopleContext): Route {
  return forSession(
    'POST',
    '/api/auth/sso/logout',
    {
      summary: 'Sign out, also at the identity provider',
      description: 'Ends the session of the request. Open `endSessionUrl`, if there is one, to end the other one too.',
      returns: 'Where the session at the identity provider ends',
      responses: { 200: SignedOff },
    },
    async (request, response, { sessionId }) => {
      await refuseBody(request);
      const endSessionUrl = singleSignOn ? await singleSignOn.signOff(sessionId) : null;
      if (!singleSignOn) await deleteSession(db, sessionId);
      sendJson(response, 200, { endSessionUrl });
    },
  );
}

function requireSignOn(singleSignOn: SingleSignOn | undefined): SingleSignOn {
  if (singleSignOn) return singleSignOn;
  throw new DeckhandError('NOT_FOUND', { message: 'This instance has no single sign-on' });
}
