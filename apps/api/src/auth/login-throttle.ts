import { createHash } from 'node:crypto';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { DeckhandError } from '@deckhand/contracts';
import type { Redis } from '@deckhand/queue';

/** Slows down guessing of passwords. */
export interface LoginThrottle {
  /**
   * Counts an attempt before its password is compared, so that guesses in parallel are counted too.
   * @throws DeckhandError RATE_LIMITED with Retry-After after too many failures for the e-mail or from the address.
   */
  attempt(email: string, address: string): Promise<void>;
  /** Takes a successful attempt back. */
  succeeded(email: string, address: string): Promise<void>;
}

/** Failures within the window, in seconds. An address may stand for a whole office. */
const WINDOW_SECONDS = 300;
const FAILURES_PER_EMAIL = 10;
const FAILURES_PER_ADDRESS = 100;

/** Counts in Redis, for all replicas together; while Redis is away each replica counts for itself. */
export function createLoginThrottle(redis: Redis): LoginThrottle {
  const perEmail = createLimiter(redis, '{deckhand}:login:email', FAILURES_PER_EMAIL);
  const perAddress = createLimiter(redis, '{deckhand}:login:address', FAILURES_PER_ADDRESS);

  return {
    async attempt(email, address) {
      try {
        await perAddress.consume(address);
        await perEmail.consume(emailKey(email));
      } catch (refusal) {
        if (!(refusal instanceof RateLimiterRes)) throw refusal;
        throw new DeckhandError('RATE_LIMITED', {
          message: 'Too many attempts to sign in: try again later',
          headers: { 'Retry-After': String(Math.max(1, Math.ceil(refusal.msBeforeNext / 1_000))) },
        });
      }
    },
    async succeeded(email, address) {
      await Promise.all([perEmail.delete(emailKey(email)), perAddress.reward(address)]);
    },
  };
}

function createLimiter(redis: Redis, keyPrefix: string, points: number): RateLimiterRedis {
  const limits = { keyPrefix, points, duration: WINDOW_SECONDS };
  return new RateLimiterRedis({ ...limits, storeClient: redis, insuranceLimiter: new RateLimiterMemory(limits) });
}

/** What people type may be long; the counter's name is not. */
function emailKey(email: string): string {
  return createHash('sha256').update(email.toLowerCase()).digest('base64url');
}
