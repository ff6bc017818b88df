import type { Redis } from './connect.js';
import { createWindowRate } from './window-rate.js';

const WINDOW_SECONDS = 60;

/**
 * Counts a run towards its workspace's limit of runs per minute.
 * @returns null when it is within the limit, else the whole seconds until the next one would be.
 */
export type CountExecution = (workspaceId: string, executionsPerMinute: number) => Promise<number | null>;

/** Counts the runs that all gateways and workers start together. */
export function createExecutionCounter(redis: Redis): CountExecution {
  const consume = createWindowRate(redis, '{deckhand}:execution-rate');
  return (workspaceId, executionsPerMinute) =>
    consume(workspaceId, { max: executionsPerMinute, windowSeconds: WINDOW_SECONDS });
}
