import { DeckhandError } from '@deckhand/contracts';
import type { Redis } from '@deckhand/queue';
import { RateLimiterRes } from 'rate-limiter-flexible';
import { createLimiter } from '../http/create-limiter.ts';
import { networkOf } from '../http/caller-address.ts';

/** Counts a request by the caller's address. @throws DeckhandError RATE_LIMITED with Retry-After beyond the limit. */
export type LinkLimit = (address: string) => Promise<void>;

/** A scanner of mail, or a whole office, may have one address. */
const REQUESTS = 300;
const WINDOW_SECONDS = 60;

/** Creates the limit of anonymous requests with links. Tokens cannot be guessed: it protects the database. */
export function createLinkLimit(redis: Redis): LinkLimit {
  const limiter = createLimiter(redis, { keyPrefix: '{deckhand}:answer', points: REQUESTS, duration: WINDOW_SECONDS });
  return async (address) => {
    try {
      await limiter.consume(networkOf(address));
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      throw new DeckhandError('RATE_LIMITED', {
        message: 'Too many requests from your network: try again in a minute',
        headers: { 'Retry-After': String(Math.max(1, Math.ceil(refusal.msBeforeNext / 1_000))) },
      });
    }
  };
}
