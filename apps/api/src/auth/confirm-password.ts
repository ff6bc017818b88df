import type { Request } from 'express';
import { DeckhandError } from '@deckhand/contracts';
import { hasSecondFactor, isConfirmedSession, isFreshSignOn, readPasswordHash } from '@deckhand/db';
import type { PeopleContext } from '../contexts.ts';
import type { SessionCaller } from './caller.ts';

/** How long a single sign-on, or a second factor, replaces the password of a person who has none, in ms. */
const FRESH_SIGN_ON_MS = 600_000;

/**
 * Checks that the holder of a session also knows the password. A person without one must have signed in, or
 * proved a second factor, a short time ago.
 * @throws DeckhandError FORBIDDEN if it is wrong, or the sign-in is too old; RATE_LIMITED after too many wrong ones.
 */
export async function confirmPassword(
  { db, loginThrottle, passwords }: Pick<PeopleContext, 'db' | 'loginThrottle' | 'passwords'>,
  { request, caller, password }: { request: Request; caller: SessionCaller; password: string },
): Promise<void> {
  const address = request.ip ?? '';
  await loginThrottle.attempt(caller.user.email, address);
  const hash = await readPasswordHash(db, caller.userId);
  if (hash === undefined) {
    const isFresh =
      (await isFreshSignOn(db, caller.sessionId, FRESH_SIGN_ON_MS)) ||
      ((await hasSecondFactor(db, caller.userId)) &&
        (await isConfirmedSession(db, caller.sessionId, FRESH_SIGN_ON_MS)));
    if (isFresh) {
      await loginThrottle.succeeded(caller.user.email, address);
      return;
    }
    throw new DeckhandError('FORBIDDEN', {
      message: 'You have no password: sign in again by single sign-on, then repeat this within ten minutes',
    });
  }
  if (!(await passwords.isSame(password, hash))) {
    throw new DeckhandError('FORBIDDEN', { message: 'The password is wrong' });
  }
  await loginThrottle.succeeded(caller.user.email, address);
}
