import { DeckhandError } from '@deckhand/contracts';
import type { Redis } from '@deckhand/queue';
import { RateLimiterRes } from 'rate-limiter-flexible';
import { networkOf } from '../http/caller-address.ts';
import { createLimiter } from '../http/create-limiter.ts';

/** Limits requests of anonymous callers by their network. */
export interface RequestLimit {
  /** @throws DeckhandError RATE_LIMITED with Retry-After. */
  count(address: string): Promise<void>;
}

/** Creates a limit over all replicas. @param points requests of one network in `seconds`. */
export function createRequestLimit(
  redis: Redis,
  { name, points, seconds }: { readonly name: string; readonly points: number; readonly seconds: number },
): RequestLimit {
  const limiter = createLimiter(redis, { keyPrefix: `{deckhand}:${name}`, points, duration: seconds });
  return {
    async count(address) {
      try {
        await limiter.consume(networkOf(address));
      } catch (refusal) {
        if (!(refusal instanceof RateLimiterRes)) throw refusal;
        throw new DeckhandError('RATE_LIMITED', {
          headers: { 'Retry-After': String(Math.max(1, Math.ceil(refusal.msBeforeNext / 1_000))) },
        });
      }
    },
  };
}
