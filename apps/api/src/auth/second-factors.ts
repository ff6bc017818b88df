import { DeckhandError, type PasskeyAssertion, validationFailed } from '@deckhand/contracts';
import {
  type Database,
  findPasskey,
  readAuthenticator,
  useAuthenticatorStep,
  usePasskey,
  useRecoveryCode,
} from '@deckhand/db';
import type { SecretBox } from '@deckhand/runtime';
import type { Request } from 'express';
import { originOf } from '../http/caller-address.ts';
import type { Passkeys } from './passkeys.ts';
import { hashRecoveryCode } from './recovery-codes.ts';
import type { SecondFactorLimit } from './second-factor-limit.ts';
import { stepOfCode } from './time-codes.ts';

/** What a caller sends to prove a second factor. */
export interface SecondFactorProof {
  readonly code?: string;
  readonly recoveryCode?: string;
  readonly passkey?: PasskeyAssertion;
}

/** A proof by one of the factors. */
type Given =
  | { readonly kind: 'code'; readonly code: string }
  | { readonly kind: 'recoveryCode'; readonly code: string }
  | { readonly kind: 'passkey'; readonly passkey: PasskeyAssertion };

/** Checks second factors. Each proof works once. */
export interface SecondFactors {
  /**
   * Checks the proof of a person who has given the password, or has a session.
   * @param challenge what a passkey must have signed; null if none was offered.
   * @throws DeckhandError UNAUTHORIZED for a wrong one; RATE_LIMITED; VALIDATION_FAILED for none, or several.
   */
  check(
    request: Request,
    userId: string,
    given: { readonly proof: SecondFactorProof; readonly challenge: string | null },
  ): Promise<void>;
  /**
   * Finds whom a passkey belongs to, and checks it as the only proof: its authenticator must have verified the person.
   * @throws DeckhandError UNAUTHORIZED; RATE_LIMITED.
   */
  identify(request: Request, passkey: PasskeyAssertion, challenge: string): Promise<string>;
}

/** Creates the checks. @param now the time in ms. */
export function createSecondFactors({
  db,
  secretBox,
  passkeys,
  limit,
  now = Date.now,
}: {
  readonly db: Database;
  readonly secretBox: SecretBox;
  readonly passkeys: Passkeys;
  readonly limit: SecondFactorLimit;
  readonly now?: () => number;
}): SecondFactors {
  async function isRight(request: Request, userId: string, given: Given, challenge: string | null): Promise<boolean> {
    switch (given.kind) {
      case 'code': {
        const kept = await readAuthenticator(db, userId);
        if (kept?.isConfirmed !== true) return false;
        const step = stepOfCode(await secretBox.open(kept.secret), given.code, now());
        return step !== undefined && useAuthenticatorStep(db, userId, step);
      }
      case 'recoveryCode':
        return useRecoveryCode(db, userId, hashRecoveryCode(given.code), originOf(request, null));
      case 'passkey':
        return challenge !== null && (await checkPasskey(given.passkey, { challenge, isAlone: false })) === userId;
    }
  }

  /** Returns whose passkey it is; undefined if it proves nothing. */
  async function checkPasskey(
    assertion: PasskeyAssertion,
    expected: { readonly challenge: string; readonly isAlone: boolean },
  ): Promise<string | undefined> {
    const passkey = await findPasskey(db, assertion.id);
    if (!passkey) return undefined;
    const counter = await passkeys.verify(assertion, { ...expected, passkey });
    if (counter === undefined || !(await usePasskey(db, passkey.id, counter))) return undefined;
    return passkey.userId;
  }

  return {
    async check(request, userId, { proof, challenge }) {
      const given = onlyOne(proof);
      const [address, isCode] = [request.ip ?? '', given.kind === 'code'];
      await limit.attempt(userId, address, isCode);
      if (!(await isRight(request, userId, given, challenge)))
        throw new DeckhandError('UNAUTHORIZED', WRONG[given.kind]);
      await limit.succeeded(userId, address, isCode);
    },
    async identify(request, passkey, challenge) {
      const address = request.ip ?? '';
      await limit.attempt('', address, false);
      const userId = await checkPasskey(passkey, { challenge, isAlone: true });
      if (userId === undefined) throw new DeckhandError('UNAUTHORIZED', WRONG.passkey);
      await limit.succeeded('', address, false);
      return userId;
    },
  };
}

const WRONG = {
  code: { message: 'The code is wrong, or was used: wait for the next one' },
  recoveryCode: { message: 'The recovery code is wrong, or was used' },
  passkey: { message: 'This passkey is not known here, or was removed' },
} as const;

/** @throws DeckhandError VALIDATION_FAILED unless there is exactly one proof. */
function onlyOne({ code, recoveryCode, passkey }: SecondFactorProof): Given {
  const given: Given[] = [
    ...(code === undefined ? [] : [{ kind: 'code' as const, code }]),
    ...(recoveryCode === undefined ? [] : [{ kind: 'recoveryCode' as const, code: recoveryCode }]),
    ...(passkey === undefined ? [] : [{ kind: 'passkey' as const, passkey }]),
  ];
  const [only, ...others] = given;
  if (only && others.length === 0) return only;
  throw validationFailed([{ path: 'code', message: 'give one of code, recoveryCode and passkey' }]);
}
