import { DeckhandError } from '@deckhand/contracts';
import type { Redis } from '@deckhand/queue';
import { RateLimiterRes } from 'rate-limiter-flexible';
import { createLimiter } from '../http/create-limiter.ts';

/** How often a workspace may use credentials outside of runs, in a minute. */
const PER_MINUTE = 60;

/** Creates the count of uses of credentials outside of runs, over all replicas. */
export function createTrialRate(redis: Redis): (workspaceId: string) => Promise<void> {
  const limiter = createLimiter(redis, { keyPrefix: '{deckhand}:credential-tests', points: PER_MINUTE, duration: 60 });
  return async (workspaceId) => {
    try {
      await limiter.consume(workspaceId);
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      const retryAfterSeconds = Math.max(1, Math.ceil(refusal.msBeforeNext / 1_000));
      throw new DeckhandError('RATE_LIMITED', {
        message: `A workspace may test credentials, and read choices with them, ${PER_MINUTE} times a minute`,
        details: { limit: PER_MINUTE, retryAfterSeconds },
        headers: { 'Retry-After': String(retryAfterSeconds) },
      });
    }
  };
}
