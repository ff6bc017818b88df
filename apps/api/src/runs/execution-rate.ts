import { DeckhandError } from '@deckhand/contracts';
import type { Redis } from '@deckhand/queue';
import { createWindowRate } from './window-rate.js';

/** Counts the runs that workspaces with a limit start. */
export interface ExecutionRate {
  /** Counts a run. @throws DeckhandError workspace_rate_limited with the seconds until the next would be let in. */
  count(workspaceId: string, executionsPerMinute: number): Promise<void>;
}

const WINDOW_SECONDS = 60;

/** Counts a workspace's runs by the minute, over all replicas. */
export function createExecutionRate(redis: Redis): ExecutionRate {
  const consume = createWindowRate(redis, '{deckhand}:execution-rate');
  return {
    async count(workspaceId, executionsPerMinute) {
      const seconds = await consume(workspaceId, { max: executionsPerMinute, windowSeconds: WINDOW_SECONDS });
      if (seconds === null) return;
      throw new DeckhandError('workspace_rate_limited', { headers: { 'Retry-After': String(seconds) } });
    },
  };
}
