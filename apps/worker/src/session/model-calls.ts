import { type Database, deleteModelCall, insertModelCall, newModelCallId, settleModelCall } from '@deckhand/db';
import type { ModelCalls } from '@deckhand/engine';
import type { RetryWhileUnavailable } from '../checkpoints/retry-while-unavailable.ts';

/** Creates the counter of requests to language models. @param retry repeats a write while PostgreSQL is unavailable. */
export function createModelCalls(db: Database, retry: RetryWhileUnavailable): ModelCalls {
  return {
    async begin(call) {
      const id = newModelCallId();
      await retry('model call', () => insertModelCall(db, { id, ...call }));
      return id;
    },
    settle: (id, tokens) => retry('model call', () => settleModelCall(db, id, tokens)),
    withdraw: (id) => retry('model call', () => deleteModelCall(db, id)),
  };
}
