import { DeckhandError, type LoginResponse, type PendingSignIn, type User } from '@deckhand/contracts';
import {
  type Database,
  findActiveUser,
  hasSecondFactor,
  listPasskeyIds,
  readSecondFactors,
  type SessionLimits,
} from '@deckhand/db';
import type { Request } from 'express';
import { openSession, type SessionOrigin } from './open-session.ts';
import type { Passkeys } from './passkeys.ts';
import type { PassingStates } from './passing-states.ts';
import { type PasswordRules, requirePasswordAllowed } from './sign-on-settings.ts';
import type { SecondFactorProof, SecondFactors } from './second-factors.ts';

/** How long a sign-in waits for its second factor, in seconds. */
export const PENDING_SECONDS = 300;

/** What is kept of a sign-in before its second factor. */
export type PendingState =
  | {
      readonly kind: 'secondFactor';
      readonly userId: string;
      readonly by: SessionOrigin;
      readonly challenge: string | null;
    }
  | { readonly kind: 'passkey'; readonly challenge: string };

/** Sign-ins in two steps. Between the steps, the browser has a state that gives no access. */
export interface PendingSignIns {
  /** Signs a person in, or waits for the second factor if the person has one. @param browser of its cookie. */
  signIn(
    request: Request,
    given: { readonly user: User; readonly by: SessionOrigin; readonly browser: string },
  ): Promise<
    | { readonly kind: 'signedIn'; readonly session: LoginResponse }
    | { readonly kind: 'pending'; readonly pending: PendingSignIn }
  >;
  /** Starts a sign-in by a passkey alone. */
  startPasskey(browser: string): Promise<PendingSignIn>;
  /**
   * Finishes a sign-in in the browser that started it. A state survives wrong proofs, and works once.
   * @throws DeckhandError UNAUTHORIZED; RATE_LIMITED; SSO_REQUIRED; VALIDATION_FAILED.
   */
  finish(
    request: Request,
    given: { readonly state: string; readonly browser: string; readonly proof: SecondFactorProof },
  ): Promise<LoginResponse>;
}

/** Creates the sign-ins. */
export function createPendingSignIns(options: {
  readonly db: Database;
  readonly sessionLimits: SessionLimits;
  readonly passkeys: Passkeys;
  readonly factors: SecondFactors;
  readonly states: PassingStates<PendingState>;
  readonly passwordRules: PasswordRules;
}): PendingSignIns {
  const { db, passkeys, factors, states } = options;

  /** Returns who signs in, and by what. */
  async function prove(
    request: Request,
    state: PendingState,
    proof: SecondFactorProof,
  ): Promise<{ readonly userId: string; readonly by: SessionOrigin }> {
    if (state.kind === 'secondFactor') {
      const { userId, by, challenge } = state;
      await factors.check(request, userId, { proof, challenge });
      return { userId, by };
    }
    if (proof.passkey === undefined)
      throw new DeckhandError('UNAUTHORIZED', { message: 'This sign-in needs a passkey' });
    return { userId: await factors.identify(request, proof.passkey, state.challenge), by: {} };
  }

  return {
    async signIn(request, { user, by, browser }) {
      if (!(await hasSecondFactor(db, user.id)))
        return { kind: 'signedIn', session: await openSession(options, user, request, by) };
      const { authenticator, passkeys: kept, recoveryCodesLeft } = await readSecondFactors(db, user.id);
      const passkeyRequest = kept.length > 0 ? await passkeys.request(await listPasskeyIds(db, user.id)) : null;
      const challenge = passkeyRequest?.challenge ?? null;
      const started = await states.start(browser, { kind: 'secondFactor', userId: user.id, by, challenge });
      const methods: PendingSignIn['methods'] = [
        ...(passkeyRequest ? (['passkey'] as const) : []),
        ...(authenticator ? (['code'] as const) : []),
        ...(recoveryCodesLeft > 0 ? (['recoveryCode'] as const) : []),
      ];
      return { kind: 'pending', pending: { ...started, methods, passkeyRequest } };
    },
    async startPasskey(browser) {
      const passkeyRequest = await passkeys.request(undefined);
      const started = await states.start(browser, { kind: 'passkey', challenge: passkeyRequest.challenge });
      return { ...started, methods: ['passkey'], passkeyRequest };
    },
    async finish(request, { state, browser, proof }) {
      const pending = await states.read(state, browser);
      if (!pending) throw expired();
      const { userId, by } = await prove(request, pending, proof);
      if (!(await states.end(state))) throw expired();
      const user = await findActiveUser(db, userId);
      if (!user) throw expired();
      if (pending.kind === 'passkey') requirePasswordAccount(options.passwordRules, user);
      return openSession(options, user, request, { ...by, isSecondFactorProved: true });
    },
  };
}

/** A passkey replaces a password, so it signs in only those who have one: others sign in by their provider. */
function requirePasswordAccount(
  rules: PasswordRules,
  { email, passwordHash }: { readonly email: string; readonly passwordHash: string | null },
): void {
  requirePasswordAllowed(rules, email);
  if (passwordHash === null)
    throw new DeckhandError('SSO_REQUIRED', { message: 'Your account has no password: sign in by single sign-on' });
}

function expired(): DeckhandError {
  return new DeckhandError('UNAUTHORIZED', {
    message: 'This sign-in has expired, was used, or was started in another browser: start it again',
  });
}
