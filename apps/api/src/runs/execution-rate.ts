import { DeckhandError } from '@deckhand/contracts';
import type { Redis } from '@deckhand/queue';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';

/** Counts the runs that workspaces with a limit start. */
export interface ExecutionRate {
  /** Counts a run. @throws DeckhandError workspace_rate_limited with the seconds until the next would be let in. */
  count(workspaceId: string, executionsPerMinute: number): Promise<void>;
}

const WINDOW_SECONDS = 60;
/** Different limits at once, more than which no instance has in use. */
const LIMITERS_MAX = 1_000;

/**
 * Counts in Redis, for all replicas together: a window of a minute begins with a workspace's first run in it. While Redis is
 * away each replica counts for itself (no run can be queued then either).
 */
export function createExecutionRate(redis: Redis): ExecutionRate {
  const limiters = new Map<number, RateLimiterRedis>();

  function limiterFor(points: number): RateLimiterRedis {
    const known = limiters.get(points);
    if (known) return known;
    if (limiters.size >= LIMITERS_MAX) limiters.clear();
    const limits = { keyPrefix: '{deckhand}:execution-rate', points, duration: WINDOW_SECONDS };
    const created = new RateLimiterRedis({
      ...limits,
      storeClient: redis,
      insuranceLimiter: new RateLimiterMemory(limits),
    });
    limiters.set(points, created);
    return created;
  }

  return {
    async count(workspaceId, executionsPerMinute) {
      try {
        await limiterFor(executionsPerMinute).consume(workspaceId);
      } catch (refusal) {
        if (!(refusal instanceof RateLimiterRes)) throw refusal;
        throw new DeckhandError('workspace_rate_limited', {
          headers: { 'Retry-After': String(Math.max(1, Math.ceil(refusal.msBeforeNext / 1_000))) },
        });
      }
    },
  };
}
