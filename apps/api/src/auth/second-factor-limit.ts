import { DeckhandError } from '@deckhand/contracts';
import type { Redis } from '@deckhand/queue';
import { RateLimiterRes } from 'rate-limiter-flexible';
import { networkOf } from '../http/caller-address.ts';
import { createLimiter } from '../http/create-limiter.ts';

/** Wrong proofs of a person from one network, in five minutes. */
const FROM_NETWORK = { points: 10, seconds: 300 };
/**
 * Wrong codes of an authenticator app of a person from anywhere, in an hour. Three of a million codes are right at any
 * time, so guessing takes more than a year on average.
 */
const CODES_FROM_ANYWHERE = { points: 30, seconds: 3_600 };

/**
 * Slows down guessing of second factors by somebody who knows the password. Only codes are limited over all networks
 * together: recovery codes and passkeys cannot be guessed, so the person can always use them.
 */
export interface SecondFactorLimit {
  /**
   * Counts a proof before it is checked, so that parallel guesses count too.
   * @throws DeckhandError RATE_LIMITED with Retry-After.
   */
  attempt(userId: string, address: string, isCode: boolean): Promise<void>;
  /** Uncounts a successful one. */
  succeeded(userId: string, address: string, isCode: boolean): Promise<void>;
}

/** Creates the limit. It counts in Redis, for all replicas. */
export function createSecondFactorLimit(redis: Redis): SecondFactorLimit {
  const count = (name: string, { points, seconds }: typeof FROM_NETWORK) =>
    createLimiter(redis, { keyPrefix: `{deckhand}:second-factor:${name}`, points, duration: seconds });
  const perNetwork = count('network', FROM_NETWORK);
  const perPerson = count('codes', CODES_FROM_ANYWHERE);
  const pairOf = (userId: string, address: string): string => `${userId}:${networkOf(address)}`;
  return {
    async attempt(userId, address, isCode) {
      try {
        await perNetwork.consume(pairOf(userId, address));
        if (isCode) await perPerson.consume(userId);
      } catch (refusal) {
        if (!(refusal instanceof RateLimiterRes)) throw refusal;
        throw new DeckhandError('RATE_LIMITED', {
          message: isCode
            ? 'Too many wrong codes: use a recovery code or a passkey, or try again later'
            : 'Too many attempts: try again later',
          headers: { 'Retry-After': String(Math.max(1, Math.ceil(refusal.msBeforeNext / 1_000))) },
        });
      }
    },
    async succeeded(userId, address, isCode) {
      await perNetwork.delete(pairOf(userId, address));
      if (isCode) await perPerson.reward(userId);
    },
  };
}
