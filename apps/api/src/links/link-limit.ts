import { DeckhandError } from '@deckhand/contracts';
import type { Redis } from '@deckhand/queue';
import { RateLimiterRes } from 'rate-limiter-flexible';
import { createLimiter } from '../http/create-limiter.ts';
import { networkOf } from '../http/caller-address.ts';

/** Limits of anonymous requests. @throws DeckhandError RATE_LIMITED with Retry-After beyond a limit. */
export interface LinkLimit {
  /** Counts a request by the caller's address. */
  readonly request: (address: string) => Promise<void>;
  /** Counts a form with files by its run, or by its workflow and the network of its sender. */
  readonly upload: (key: string) => Promise<void>;
  /** Counts a public form by its workflow and the network of its sender. */
  readonly submission: (key: string) => Promise<void>;
}

/** By the address, in a minute. A scanner of mail, or a whole office, may have one address. */
const REQUESTS = { points: 300, duration: 60, message: 'Too many requests from your network: try again in a minute' };
/** By the workflow and the network of the sender, in ten minutes: a class may fill in a form at the same time. */
const SUBMISSIONS = {
  points: 120,
  duration: 600,
  message: 'Too many forms were sent from your network: try again later',
};
/** Maximum number of forms with files that a run takes in an hour: a link could be used to fill the storage. */
const UPLOADS = { points: 60, duration: 3_600, message: 'Too many files were sent to this form: try again later' };

/** Creates the limits of anonymous requests with links. Tokens cannot be guessed: they protect the stores. */
export function createLinkLimit(redis: Redis): LinkLimit {
  const request = createLimit(redis, '{deckhand}:answer', REQUESTS);
  return {
    request: (address) => request(networkOf(address)),
    upload: createLimit(redis, '{deckhand}:answer-files', UPLOADS),
    submission: createLimit(redis, '{deckhand}:forms', SUBMISSIONS),
  };
}

function createLimit(
  redis: Redis,
  keyPrefix: string,
  { message, ...limit }: { readonly points: number; readonly duration: number; readonly message: string },
): (key: string) => Promise<void> {
  const limiter = createLimiter(redis, { keyPrefix, ...limit });
  return async (key) => {
    try {
      await limiter.consume(key);
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      const headers = { 'Retry-After': String(Math.max(1, Math.ceil(refusal.msBeforeNext / 1_000))) };
      throw new DeckhandError('RATE_LIMITED', { message, headers });
    }
  };
}
