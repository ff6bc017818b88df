import {
  compileLenientCheck,
  DeckhandError,
  LoginResponse,
  SetupStateResponse,
  SetupBody,
  validationFailed,
} from '@deckhand/contracts';
import { createFirstOwner, hasUsers, setupIsOver } from '@deckhand/db';
import { isSameSecret } from '@deckhand/runtime';
import { passwordIssues } from '../../auth/passwords.ts';
import { openSession } from '../../auth/open-session.ts';
import { MAX_ANONYMOUS_BODY_BYTES, readBody } from '../../http/read-body.ts';
import { sendJson } from '../../http/respond.ts';
import { open, type Route } from '../../http/route.ts';
import type { PeopleContext } from '../../contexts.ts';

const check = compileLenientCheck(SetupBody);

/** POST /api/auth/setup */
export function setup(context: PeopleContext): Route {
  const { db, passwords, setupToken } = context;
  return open(
    'POST',
    '/api/auth/setup',
    {
      summary: 'Create the first owner',
      description: 'Works once, while the instance has no users, with the setup token from the log of the API.',
      returns: 'The owner, signed in',
      body: SetupBody,
      responses: { 201: LoginResponse },
      errors: ['CONFLICT', 'FORBIDDEN', 'INVALID_STATE'],
    },
    async (request, response) => {
      const result = check(await readBody(request, MAX_ANONYMOUS_BODY_BYTES));
      if ('issues' in result) throw validationFailed(result.issues);
      const { token, email, name, password, workspaceName } = result.value;
      const issues = passwordIssues(password, 'password');
      if (issues.length > 0) throw validationFailed(issues);
      // Before the expensive hash; afterwards it is checked again, under a lock.
      if (await hasUsers(db)) throw setupIsOver();
      if (!isSameSecret(token, setupToken)) {
        throw new DeckhandError('FORBIDDEN', {
          message: 'The setup token is wrong: the log of the API shows it, in the link to the setup',
        });
      }
      const user = await createFirstOwner(db, {
        email,
        name,
        workspaceName,
        passwordHash: await passwords.hash(password),
      });
      sendJson(response, 201, await openSession(context, user, request));
    },
  );
}

/** GET /api/auth/setup */
export function getSetup({ db }: PeopleContext): Route {
  return open(
    'GET',
    '/api/auth/setup',
    {
      summary: 'Get the state of the setup',
      description: 'For clients that show either a sign-in or a setup.',
      returns: 'Whether the setup is open',
      responses: { 200: SetupStateResponse },
    },
    async (_request, response) => {
      sendJson(response, 200, { isOpen: !(await hasUsers(db)) });
    },
  );
}
