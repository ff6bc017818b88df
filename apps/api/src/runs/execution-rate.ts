import { DeckhandError } from '@deckhand/contracts';
import { createExecutionCounter, type Redis } from '@deckhand/queue';

/** Counts the runs that workspaces with a limit start. */
export interface ExecutionRate {
  /** Counts a run. @throws DeckhandError workspace_rate_limited with the seconds until the next would be let in. */
  count(workspaceId: string, executionsPerMinute: number): Promise<void>;
}

/** Counts a workspace's runs by the minute, over all replicas. */
export function createExecutionRate(redis: Redis): ExecutionRate {
  const countExecution = createExecutionCounter(redis);
  return {
    async count(workspaceId, executionsPerMinute) {
      const seconds = await countExecution(workspaceId, executionsPerMinute);
      if (seconds === null) return;
      throw new DeckhandError('workspace_rate_limited', { headers: { 'Retry-After': String(seconds) } });
    },
  };
}
