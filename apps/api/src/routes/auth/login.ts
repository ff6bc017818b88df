import { compileBody, DeckhandError, LoginBody, LoginResponse } from '@deckhand/contracts';
import { findUserByEmail } from '@deckhand/db';
import { openSession } from '../../auth/open-session.js';
import { isPassword } from '../../auth/passwords.js';
import { MAX_ANONYMOUS_BODY_BYTES, readBody } from '../../http/read-body.js';
import { sendJson } from '../../http/respond.js';
import { open, type Route } from '../../http/route.js';
import type { Services } from '../../services.js';

const parse = compileBody(LoginBody);

/** POST /api/auth/login */
export function login({ db, loginThrottle }: Services): Route {
  return open(
    'POST',
    '/api/auth/login',
    {
      summary: 'Sign in',
      description: 'A wrong e-mail address and a wrong password get the same response after the same time.',
      returns: 'The token of the session, and its person',
      body: LoginBody,
      responses: { 200: LoginResponse },
      errors: ['UNAUTHORIZED', 'RATE_LIMITED'],
    },
    async (request, response) => {
      const { email, password } = parse(await readBody(request, MAX_ANONYMOUS_BODY_BYTES));
      const address = request.ip ?? '';
      await loginThrottle.attempt(email, address);
      const user = await findUserByEmail(db, email);
      const isRight = await isPassword(password, user?.passwordHash);
      if (!user || !isRight)
        throw new DeckhandError('UNAUTHORIZED', { message: 'The e-mail or the password is wrong' });
      await loginThrottle.succeeded(email, address);
      sendJson(response, 200, await openSession(db, user, request));
    },
  );
}
