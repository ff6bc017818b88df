import type { Redis } from './connect.js';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';

/** How many are allowed within a time window. */
export interface RateLimit {
  readonly max: number;
  readonly windowSeconds: number;
}

/** How a window stands after one more. */
export interface WindowCount {
  /** Whether that one is beyond the limit. */
  readonly isBeyond: boolean;
  /** How many more there may be in the window. */
  readonly remaining: number;
  /** Whole seconds until the next window, at least 1. */
  readonly resetSeconds: number;
}

/** Counts one more for a name. */
export type WindowRate = (name: string, limit: RateLimit) => Promise<WindowCount>;

/** Number of different limits in use at once: more than any instance has. */
const MAX_LIMITERS = 1_000;

/**
 * Counts in Redis, for all replicas together: a window begins with the first of a name in it. While Redis is away each
 * replica counts for itself (no run can be queued then either).
 */
export function createWindowRate(redis: Redis, keyPrefix: string): WindowRate {
  const limiters = new Map<string, RateLimiterRedis>();

  function limiterFor({ max, windowSeconds }: RateLimit): RateLimiterRedis {
    const key = `${max}/${windowSeconds}`;
    const known = limiters.get(key);
    if (known) return known;
    if (limiters.size >= MAX_LIMITERS) limiters.clear();
    const limits = { keyPrefix, points: max, duration: windowSeconds };
    const created = new RateLimiterRedis({
      ...limits,
      storeClient: redis,
      insuranceLimiter: new RateLimiterMemory(limits),
    });
    limiters.set(key, created);
    return created;
  }

  return async (name, limit) => {
    try {
      return toCount(await limiterFor(limit).consume(name), false);
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      return toCount(refusal, true);
    }
  };
}

function toCount({ remainingPoints, msBeforeNext }: RateLimiterRes, isBeyond: boolean): WindowCount {
  const resetSeconds = Math.max(1, Math.ceil(msBeforeNext / 1_000));
  return { isBeyond, remaining: Math.max(0, remainingPoints), resetSeconds };
}
