import { type Database, readAgentMemory, writeAgentMemory } from '@deckhand/db';
import { type AgentMemories, NodeError } from '@deckhand/engine';
import type { RetryWhileUnavailable } from '../checkpoints/retry-while-unavailable.ts';

/** Creates the memories of agents. @param retry repeats a statement while PostgreSQL is unavailable. */
export function createAgentMemories(db: Database, retry: RetryWhileUnavailable): AgentMemories {
  return {
    async read(memory, maxExchanges) {
      const found = await retry('agent memory', () => readAgentMemory(db, memory, memory, maxExchanges));
      return found === 'full' ? full() : found;
    },
    async write(memory, exchange) {
      const written = await retry('agent memory', () => writeAgentMemory(db, memory, memory, exchange));
      if (written === 'full') full();
    },
  };
}

function full(): never {
  const message = 'the workspace has as many memories as it may: delete some, or use fewer keys';
  throw new NodeError('AGENT_MEMORY_FULL', message, { isRetryable: false });
}
