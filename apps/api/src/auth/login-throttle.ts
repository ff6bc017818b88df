import { createHash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { RateLimiterRes } from 'rate-limiter-flexible';
import { DeckhandError } from '@deckhand/contracts';
import type { Redis } from '@deckhand/queue';
import { createLimiter } from '../http/create-limiter.ts';
import { networkOf } from '../http/caller-address.ts';

/** Slows down guessing of passwords. */
export interface LoginThrottle {
  /**
   * Counts an attempt before its password is compared, so that parallel guesses count too. Delays it if very many
   * attempts failed for the e-mail from anywhere. Refusing it would let anybody lock out that person.
   * @throws DeckhandError RATE_LIMITED with Retry-After after too many failures for the e-mail from the address, or
   * from the address for any e-mail.
   */
  attempt(email: string, address: string): Promise<void>;
  /** Uncounts a successful attempt. */
  succeeded(email: string, address: string): Promise<void>;
}

/** Failures are counted in windows of this length, in seconds. One address may be a whole office. */
const WINDOW_SECONDS = 300;
const FAILURES_PER_EMAIL_AND_ADDRESS = 10;
const FAILURES_PER_ADDRESS = 100;
/** For each such number of failures of an e-mail from anywhere, the next attempt waits a second longer. */
const FAILURES_PER_SECOND_OF_DELAY = 100;
const MAX_DELAY_SECONDS = 5;

/**
 * Creates the throttle. It counts in Redis, for all replicas. While Redis is unavailable, each replica counts for
 * itself.
 * @param delay waits a number of ms.
 */
export function createLoginThrottle(
  redis: Redis,
  delay: (ms: number) => Promise<unknown> = (ms) => setTimeout(ms),
): LoginThrottle {
  const count = (name: string, points: number) =>
    createLimiter(redis, { keyPrefix: `{deckhand}:login:${name}`, points, duration: WINDOW_SECONDS });
  const perPair = count('pair', FAILURES_PER_EMAIL_AND_ADDRESS);
  const perAddress = count('address', FAILURES_PER_ADDRESS);
  // This limiter refuses nobody: only its count is used.
  const perEmail = count('email', Number.MAX_SAFE_INTEGER);

  return {
    async attempt(email, address) {
      const network = networkOf(address);
      try {
        await perAddress.consume(network);
        await perPair.consume(pairKey(email, network));
      } catch (refusal) {
        if (!(refusal instanceof RateLimiterRes)) throw refusal;
        throw new DeckhandError('RATE_LIMITED', {
          message: 'Too many attempts to sign in: try again later',
          headers: { 'Retry-After': String(Math.max(1, Math.ceil(refusal.msBeforeNext / 1_000))) },
        });
      }
      const { consumedPoints } = await perEmail.consume(emailKey(email));
      const seconds = Math.min(MAX_DELAY_SECONDS, Math.floor(consumedPoints / FAILURES_PER_SECOND_OF_DELAY));
      if (seconds > 0) await delay(seconds * 1_000);
    },
    async succeeded(email, address) {
      const network = networkOf(address);
      await Promise.all([
        perPair.delete(pairKey(email, network)),
        perAddress.reward(network),
        perEmail.reward(emailKey(email)),
      ]);
    },
  };
}

function pairKey(email: string, network: string): string {
  return `${emailKey(email)}:${network}`;
}

/** Bounds the length of the counter's name, because input may be long. */
function emailKey(email: string): string {
  return createHash('sha256').update(email.toLowerCase()).digest('base64url');
}
