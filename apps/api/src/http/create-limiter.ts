import type { Redis } from '@deckhand/queue';
import { RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible';

/** Creates a counter in Redis, for all replicas. While Redis is unavailable, each replica counts for itself. */
export function createLimiter(
  redis: Redis,
  limits: { readonly keyPrefix: string; readonly points: number; /** In seconds. */ readonly duration: number },
): RateLimiterRedis {
  return new RateLimiterRedis({ ...limits, storeClient: redis, insuranceLimiter: new RateLimiterMemory(limits) });
}
