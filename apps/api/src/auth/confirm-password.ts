import type { Request } from 'express';
import { DeckhandError } from '@deckhand/contracts';
import { readPasswordHash } from '@deckhand/db';
import type { PeopleContext } from '../contexts.ts';
import type { SessionCaller } from './caller.ts';

/**
 * Checks that the holder of a session also knows the password.
 * @throws DeckhandError FORBIDDEN if it is wrong; RATE_LIMITED after too many wrong ones.
 */
export async function confirmPassword(
  { db, loginThrottle, passwords }: Pick<PeopleContext, 'db' | 'loginThrottle' | 'passwords'>,
  { request, caller, password }: { request: Request; caller: SessionCaller; password: string },
): Promise<void> {
  const address = request.ip ?? '';
  await loginThrottle.attempt(caller.user.email, address);
  if (!(await passwords.isSame(password, await readPasswordHash(db, caller.userId)))) {
    throw new DeckhandError('FORBIDDEN', { message: 'The password is wrong' });
  }
  await loginThrottle.succeeded(caller.user.email, address);
}
