import {
  ChangePasswordBody,
  compileBody,
  DeckhandError,
  LoginBody,
  LoginResponse,
  MeResponse,
  PendingSignIn,
  validationFailed,
} from '@deckhand/contracts';
import { changePassword as change, deleteSession, findUserByEmail, listRoles, readPasswordHash } from '@deckhand/db';
import { readBrowserSecret, setBrowserSecret } from '../../auth/browser-cookie.ts';
import { createSecret } from '../../auth/tokens.ts';
import { requirePasswordAllowed } from '../../auth/sign-on-settings.ts';
import { passwordIssues } from '../../auth/passwords.ts';
import { MAX_ANONYMOUS_BODY_BYTES, readBody } from '../../http/read-body.ts';
import { refuseBody } from '../../http/refuse-body.ts';
import { sendJson, sendNothing } from '../../http/respond.ts';
import { forSession, open, type Route } from '../../http/route.ts';
import type { PeopleContext } from '../../contexts.ts';

const parseLogin = compileBody(LoginBody);

/** POST /api/auth/login */
export function login(context: PeopleContext): Route {
  const { db, loginThrottle, passwords, passwordRules, pendingSignIns, publicUrl } = context;
  return open(
    'POST',
    '/api/auth/login',
    {
      summary: 'Sign in',
      description:
        'A wrong e-mail address and a wrong password get the same response after the same time. A person with a second factor gets no session (202): finish by `POST /api/auth/login/second-factor` in the same browser.',
      returns: 'The token of the session, and its person; or the second step',
      body: LoginBody,
      responses: { 200: LoginResponse, 202: PendingSignIn },
      errors: ['UNAUTHORIZED', 'SSO_REQUIRED', 'RATE_LIMITED'],
    },
    async (request, response) => {
      const { email, password } = parseLogin(await readBody(request, MAX_ANONYMOUS_BODY_BYTES));
      const address = request.ip ?? '';
      await loginThrottle.attempt(email, address);
      requirePasswordAllowed(passwordRules, email);
      const user = await findUserByEmail(db, email);
      const isRight = await passwords.isSame(password, user?.passwordHash ?? undefined);
      if (!user || !isRight)
        throw new DeckhandError('UNAUTHORIZED', { message: 'The e-mail or the password is wrong' });
      await loginThrottle.succeeded(email, address);
      const by = { passwordHash: user.passwordHash ?? undefined };
      const browser = readBrowserSecret(request, publicUrl) ?? createSecret();
      const outcome = await pendingSignIns.signIn(request, { user, by, browser });
      if (outcome.kind === 'signedIn') {
        sendJson(response, 200, outcome.session);
        return;
      }
      setBrowserSecret(response, publicUrl, browser);
      sendJson(response, 202, outcome.pending);
    },
  );
}

/** POST /api/auth/logout */
export function logout({ db }: PeopleContext): Route {
  return forSession(
    'POST',
    '/api/auth/logout',
    { summary: 'Sign out', description: 'Ends the session of the request.', responses: { 204: null } },
    async (request, response, caller) => {
      await refuseBody(request);
      await deleteSession(db, caller.sessionId);
      sendNothing(response);
    },
  );
}

/** GET /api/auth/me */
export function getCurrentUser({ db }: PeopleContext): Route {
  return forSession(
    'GET',
    '/api/auth/me',
    {
      summary: 'Get the signed-in person',
      description: 'Returns the person, and the workspaces of which the person is a member.',
      returns: 'The person and their workspaces',
      responses: { 200: MeResponse },
    },
    async (_request, response, caller) => {
      sendJson(response, 200, { user: caller.user, workspaces: await listRoles(db, caller.userId) });
    },
  );
}

const parsePassword = compileBody(ChangePasswordBody);

/** POST /api/auth/password */
export function changePassword(context: PeopleContext): Route {
  const { db, loginThrottle, passwords } = context;
  return forSession(
    'POST',
    '/api/auth/password',
    {
      summary: 'Change your password',
      confirmsPerson: true,
      description: 'Ends all other sessions of the person. Attempts are rate limited as at sign-in.',
      body: ChangePasswordBody,
      responses: { 204: null },
      errors: ['RATE_LIMITED'],
    },
    async (request, response, caller) => {
      const { currentPassword, newPassword } = parsePassword(await readBody(request, MAX_ANONYMOUS_BODY_BYTES));
      const issues = passwordIssues(newPassword, 'newPassword');
      if (issues.length > 0) throw validationFailed(issues);
      const { userId, sessionId, user } = caller;
      const address = request.ip ?? '';
      await loginThrottle.attempt(user.email, address);
      const currentHash = await readPasswordHash(db, userId);
      const isRight = await passwords.isSame(currentPassword, currentHash);
      if (currentHash === undefined || !isRight) {
        throw new DeckhandError('FORBIDDEN', { message: 'The current password is wrong' });
      }
      await loginThrottle.succeeded(user.email, address);
      await change(db, caller, { sessionId, currentHash, newHash: await passwords.hash(newPassword) });
      sendNothing(response);
    },
  );
}
