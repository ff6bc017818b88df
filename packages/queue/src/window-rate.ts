import type { Redis } from './connect.ts';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';

/** A limit of events per time window. */
export interface RateLimit {
  readonly max: number;
  readonly windowSeconds: number;
}

/** The state of a window after an event was counted. */
export interface WindowCount {
  /** True if the event exceeds the limit. */
  readonly isBeyond: boolean;
  /** Number of further events that the window allows. */
  readonly remaining: number;
  /** Whole seconds until the next window, at least 1. */
  readonly resetSeconds: number;
}

/** Counts an event of a name. */
export type WindowRate = (name: string, limit: RateLimit) => Promise<WindowCount>;

/** Length of the window of the limit of runs per minute. */
const EXECUTION_WINDOW_SECONDS = 60;
/** Maximum number of cached limiters; more than the different limits of any instance. */
const MAX_LIMITERS = 1_000;

/**
 * Creates a counter in Redis, which all replicas share. A window begins with the first event of a name. While Redis is
 * unavailable, each replica counts for itself; no run can be queued then either.
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

/**
 * Counts a run towards its workspace's limit of runs per minute.
 * @returns the limit and the state of its window afterwards.
 */
export type ExecutionRate = (workspaceId: string, executionsPerMinute: number) => Promise<RateLimit & WindowCount>;

/** Counts the runs that all gateways and workers start together. */
export function createExecutionRate(redis: Redis): ExecutionRate {
  const consume = createWindowRate(redis, '{deckhand}:execution-rate');
  return async (workspaceId, executionsPerMinute) => {
    const limit = { max: executionsPerMinute, windowSeconds: EXECUTION_WINDOW_SECONDS };
    return { ...limit, ...(await consume(workspaceId, limit)) };
  };
}
