import type { Redis } from './connect.js';
import { createWindowRate } from './window-rate.js';

const WINDOW_SECONDS = 60;

/**
 * Counts a run towards its workspace's limit of runs a minute.
 * @returns null when it is let in, else the whole seconds until the next would be.
 */
export type CountExecution = (workspaceId: string, executionsPerMinute: number) => Promise<number | null>;

/** Counts runs for all who start some, gateways and workers. */
export function createExecutionCounter(redis: Redis): CountExecution {
  const consume = createWindowRate(redis, '{deckhand}:execution-rate');
  return (workspaceId, executionsPerMinute) =>
    consume(workspaceId, { max: executionsPerMinute, windowSeconds: WINDOW_SECONDS });
}
