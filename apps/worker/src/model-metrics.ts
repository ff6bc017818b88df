import type { ModelTokens } from '@deckhand/engine';
import { Counter, type Registry } from 'prom-client';

/** The counters of a worker's requests to language models. */
export interface ModelMetrics {
  /** Counts a request that is about to be sent. */
  called(): void;
  /** Counts a request that a limit of its workspace refused. */
  refused(): void;
  /** Counts the tokens of a response. @param costMicroUsd null if the price is unknown. */
  settled(tokens: ModelTokens, costMicroUsd: number | null): void;
}

/** Adds the metrics of language models to a registry. */
export function createModelMetrics(registry: Registry): ModelMetrics {
  const registers = [registry];
  const calls = new Counter({
    name: 'deckhand_model_calls_total',
    help: 'Requests to language models, by whether they were sent or refused by a limit',
    labelNames: ['outcome'],
    registers,
  });
  for (const outcome of ['sent', 'refused']) calls.inc({ outcome }, 0);
  const tokens = new Counter({
    name: 'deckhand_model_tokens_total',
    help: 'Tokens of responses of language models, as providers counted them; cached ones are input, too',
    labelNames: ['kind'],
    registers,
  });
  for (const kind of ['input', 'cached', 'output']) tokens.inc({ kind }, 0);
  const cost = new Counter({
    name: 'deckhand_model_cost_micro_usd_total',
    help: 'Cost of responses of language models whose price is known, in micro-dollars',
    registers,
  });
  const unpriced = new Counter({
    name: 'deckhand_model_responses_without_cost_total',
    help: 'Responses of language models whose price is unknown',
    registers,
  });
  return {
    called: () => calls.inc({ outcome: 'sent' }),
    refused: () => calls.inc({ outcome: 'refused' }),
    settled({ inputTokens, cachedInputTokens, outputTokens }, costMicroUsd) {
      tokens.inc({ kind: 'input' }, inputTokens);
      tokens.inc({ kind: 'cached' }, cachedInputTokens);
      tokens.inc({ kind: 'output' }, outputTokens);
      if (costMicroUsd === null) unpriced.inc();
      else cost.inc(costMicroUsd);
    },
  };
}
