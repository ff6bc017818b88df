import { type ConfirmationOptions, type ConfirmBody, DeckhandError, validationFailed } from '@deckhand/contracts';
import { confirmSession, hasSecondFactor, listPasskeyIds, readPasswordHash, readSecondFactors } from '@deckhand/db';
import type { Request } from 'express';
import type { PeopleContext } from '../contexts.ts';
import type { SessionCaller } from './caller.ts';
import { confirmPassword } from './confirm-password.ts';

type ConfirmContext = Pick<
  PeopleContext,
  'db' | 'loginThrottle' | 'passwords' | 'passkeys' | 'secondFactors' | 'confirmations'
>;

/** Returns what a person can confirm by. Those with a second factor do not confirm by the password alone. */
export async function confirmationOptions(
  { db, passkeys, confirmations }: ConfirmContext,
  { userId, sessionId }: SessionCaller,
): Promise<ConfirmationOptions> {
  const factors = await readSecondFactors(db, userId);
  if (!factors.authenticator && factors.passkeys.length === 0) {
    const hasPassword = (await readPasswordHash(db, userId)) !== undefined;
    return { methods: hasPassword ? ['password'] : [], state: null, passkeyRequest: null };
  }
  const methods: ConfirmationOptions['methods'] = [
    ...(factors.passkeys.length > 0 ? (['passkey'] as const) : []),
    ...(factors.authenticator ? (['code'] as const) : []),
    ...(factors.recoveryCodesLeft > 0 ? (['recoveryCode'] as const) : []),
  ];
  if (factors.passkeys.length === 0) return { methods, state: null, passkeyRequest: null };
  const passkeyRequest = await passkeys.request(await listPasskeyIds(db, userId));
  const { state } = await confirmations.start(sessionId, { challenge: passkeyRequest.challenge });
  return { methods, state, passkeyRequest };
}

/**
 * Confirms that the holder of a session is its person.
 * @throws DeckhandError FORBIDDEN for a wrong proof; RATE_LIMITED; VALIDATION_FAILED.
 */
export async function confirmIdentity(
  context: ConfirmContext,
  request: Request,
  caller: SessionCaller,
  { state, password, ...proof }: ConfirmBody,
): Promise<void> {
  const { db, secondFactors, confirmations } = context;
  if (await hasSecondFactor(db, caller.userId)) {
    if (password !== undefined)
      throw validationFailed([{ path: 'password', message: 'is not enough: you have a second factor' }]);
    const pending = state === undefined ? undefined : await confirmations.read(state, caller.sessionId);
    if (pending && !(await confirmations.end(state ?? ''))) throw new DeckhandError('FORBIDDEN');
    await forbiddenIfWrong(
      secondFactors.check(request, caller.userId, { proof, challenge: pending?.challenge ?? null }),
    );
  } else {
    if (password === undefined) throw validationFailed([{ path: 'password', message: 'is required' }]);
    // Any text would do within ten minutes of a single sign-on, and again within ten minutes of that.
    if ((await readPasswordHash(db, caller.userId)) === undefined)
      throw new DeckhandError('FORBIDDEN', { message: 'You have nothing to confirm by: sign in again' });
    await confirmPassword(context, { request, caller, password });
  }
  await confirmSession(db, caller.sessionId);
}

/** A 401 would end the session in clients: it is valid. */
async function forbiddenIfWrong(check: Promise<void>): Promise<void> {
  await check.catch((error: unknown) => {
    if (!(error instanceof DeckhandError && error.code === 'UNAUTHORIZED')) throw error;
    throw new DeckhandError('FORBIDDEN', { message: error.message });
  });
}
