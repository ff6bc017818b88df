import {
  type Database,
  deleteModelCall,
  insertModelCall,
  type ModelCallAdmission,
  newModelCallId,
  settleModelCall,
} from '@deckhand/db';
import { type ModelCall, type ModelCalls, NodeError } from '@deckhand/engine';
import type { RetryWhileUnavailable } from '../checkpoints/retry-while-unavailable.ts';
import type { ModelMetrics } from '../model-metrics.ts';

/**
 * Creates the counter of requests to language models.
 * @param retry repeats a write while PostgreSQL is unavailable.
 */
export function createModelCalls(db: Database, retry: RetryWhileUnavailable, metrics: ModelMetrics): ModelCalls {
  return {
    async begin(call) {
      const id = newModelCallId();
      const admission = await retry('model call', () => insertModelCall(db, { id, ...call }));
      if (admission.kind !== 'counted') {
        metrics.refused();
        throw refusalOf(admission, call);
      }
      metrics.called();
      return id;
    },
    async settle(id, tokens) {
      const cost = await retry('model call', () => settleModelCall(db, id, tokens));
      metrics.settled(tokens, cost);
      return cost;
    },
    withdraw: (id) => retry('model call', () => deleteModelCall(db, id)),
  };
}

function refusalOf(admission: Exclude<ModelCallAdmission, { kind: 'counted' }>, call: ModelCall): NodeError {
  switch (admission.kind) {
    case 'noPrice': {
      const message = `the workspace has a limit of costs, and the price of ${call.model} (${call.provider}) is unknown: an administrator of the instance can set it`;
      return new NodeError('MODEL_PRICE_UNKNOWN', message, { isRetryable: false });
    }
    case 'overCost': {
      const { kind: _, ...details } = admission;
      const { usedMicroUsd, maxMicroUsd, reservedMicroUsd } = details;
      const message = `the workspace used ${dollars(usedMicroUsd)} of its ${dollars(maxMicroUsd)} of this month, and the call may cost ${dollars(reservedMicroUsd)}`;
      return new NodeError('MODEL_BUDGET_EXCEEDED', message, { isRetryable: false, details });
    }
    case 'overLimit': {
      const { usedTokens, maxTokens } = admission;
      const reservedTokens = call.reservedInputTokens + call.reservedOutputTokens;
      const message = `the workspace used ${usedTokens} of its ${maxTokens} tokens of this month, and the call may need ${reservedTokens}`;
      const details = { usedTokens, maxTokens, reservedTokens };
      return new NodeError('MODEL_BUDGET_EXCEEDED', message, { isRetryable: false, details });
    }
  }
}

function dollars(microUsd: number): string {
  return `$${(microUsd / 1_000_000).toFixed(6)}`;
}
