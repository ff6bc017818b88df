import type { Redis } from './connect.ts';
import { createWindowRate, type RateLimit, type WindowCount } from './window-rate.ts';

const WINDOW_SECONDS = 60;

/**
 * Counts a run towards its workspace's limit of runs per minute.
 * @returns the limit and the state of its window afterwards.
 */
export type ExecutionRate = (workspaceId: string, executionsPerMinute: number) => Promise<RateLimit & WindowCount>;

/** Counts the runs that all gateways and workers start together. */
export function createExecutionRate(redis: Redis): ExecutionRate {
  const consume = createWindowRate(redis, '{deckhand}:execution-rate');
  return async (workspaceId, executionsPerMinute) => {
    const limit = { max: executionsPerMinute, windowSeconds: WINDOW_SECONDS };
    return { ...limit, ...(await consume(workspaceId, limit)) };
  };
}
