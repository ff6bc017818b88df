import { ChangePasswordBody, compileBody, DeckhandError, validationFailed } from '@deckhand/contracts';
import { changePassword as change, readPasswordHash } from '@deckhand/db';
import { hashPassword, isPassword, passwordIssues } from '../../auth/passwords.js';
import { MAX_ANONYMOUS_BODY_BYTES, readBody } from '../../http/read-body.js';
import { sendNothing } from '../../http/respond.js';
import { forSession, type Route } from '../../http/route.js';
import type { Services } from '../../services.js';

const parse = compileBody(ChangePasswordBody);

/** POST /api/auth/password */
export function changePassword({ db, loginThrottle }: Services): Route {
  return forSession(
    'POST',
    '/api/auth/password',
    {
      summary: 'Change your password',
      description: 'Ends all other sessions of the person. Attempts are rate limited as at sign-in.',
      body: ChangePasswordBody,
      responses: { 204: null },
      errors: ['RATE_LIMITED'],
    },
    async (request, response, caller) => {
      const { currentPassword, newPassword } = parse(await readBody(request, MAX_ANONYMOUS_BODY_BYTES));
      const issues = passwordIssues(newPassword, 'newPassword');
      if (issues.length > 0) throw validationFailed(issues);
      const { userId, sessionId, user } = caller;
      const address = request.ip ?? '';
      await loginThrottle.attempt(user.email, address);
      const currentHash = await readPasswordHash(db, userId);
      const isRight = await isPassword(currentPassword, currentHash);
      if (currentHash === undefined || !isRight) {
        throw new DeckhandError('FORBIDDEN', { message: 'The current password is wrong' });
      }
      await loginThrottle.succeeded(user.email, address);
      await change(db, caller, { sessionId, currentHash, newHash: await hashPassword(newPassword) });
      sendNothing(response);
    },
  );
}
