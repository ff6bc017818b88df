import { type Database, deleteModelCall, insertModelCall, newModelCallId, settleModelCall } from '@deckhand/db';
import { type ModelCalls, NodeError } from '@deckhand/engine';
import type { RetryWhileUnavailable } from '../checkpoints/retry-while-unavailable.ts';

/** Creates the counter of requests to language models. @param retry repeats a write while PostgreSQL is unavailable. */
export function createModelCalls(db: Database, retry: RetryWhileUnavailable): ModelCalls {
  return {
    async begin(call) {
      const id = newModelCallId();
      const admission = await retry('model call', () => insertModelCall(db, { id, ...call }));
      if (admission.kind === 'counted') return id;
      const { usedTokens, maxTokens } = admission;
      const message = `the workspace used ${usedTokens} of its ${maxTokens} tokens of this month, and the call may need ${call.reservedTokens}`;
      const details = { usedTokens, maxTokens, reservedTokens: call.reservedTokens };
      throw new NodeError('MODEL_BUDGET_EXCEEDED', message, { isRetryable: false, details });
    },
    settle: (id, tokens) => retry('model call', () => settleModelCall(db, id, tokens)),
    withdraw: (id) => retry('model call', () => deleteModelCall(db, id)),
  };
}
