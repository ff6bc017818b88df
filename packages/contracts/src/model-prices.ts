import type { ModelPrice } from './schemas/model-prices.ts';

/*
 * What providers charge, as their public price lists say. Only prices that hold for a request of any length are here: a
 * model whose long requests cost more has none, and neither has one for which no list of its provider was found.
 * Anthropic's were read on its own page; OpenAI's and Google's in what others copied from theirs, in November and March
 * 2026.
 */

const ANTHROPIC = 'https://platform.claude.com/docs/en/about-claude/pricing';
const GOOGLE = 'https://ai.google.dev/gemini-api/docs/pricing';
const OPENAI = 'https://developers.openai.com/api/docs/pricing';

/** Prices in dollars per million tokens: of input, of input from the provider's cache, and of output. */
type Dollars = readonly [input: number, cached: number | null, output: number];

const MICRO_USD = 1_000_000;

function price(
  provider: ModelPrice['provider'],
  [source, validFrom]: readonly [string, string],
  [input, cached, output]: Dollars,
  ...models: readonly string[]
): ModelPrice[] {
  return models.map((model) => ({
    provider,
    model,
    validFrom,
    inputMicroUsd: Math.round(input * MICRO_USD),
    cachedInputMicroUsd: cached === null ? null : Math.round(cached * MICRO_USD),
    outputMicroUsd: Math.round(output * MICRO_USD),
    source,
  }));
}

/** The prices that every instance knows, in any order. Those of its administrators come before them. */
export const MODEL_PRICES: readonly ModelPrice[] = [
  ...price('anthropic', [ANTHROPIC, '2026-10-07'], [4, 0.2, 20], 'claude-opus-5-5'),
  ...price(
    'anthropic',
    [ANTHROPIC, '2026-10-07'],
    [5, 0.5, 25],
    ...['claude-opus-5', 'claude-opus-4-8', 'claude-opus-4-7', 'claude-opus-4-6', 'claude-opus-4-5'],
    'claude-opus-4-5-20251101',
  ),
  ...price('anthropic', [ANTHROPIC, '2026-09-23'], [2, 0.2, 10], 'claude-sonnet-5-5', 'claude-sonnet-5'),
  ...price('anthropic', [ANTHROPIC, '2026-10-07'], [2, 0.1, 10], 'claude-sonnet-5-5'),
  ...price(
    'anthropic',
    [ANTHROPIC, '2026-10-07'],
    [3, 0.3, 15],
    ...['claude-sonnet-4-6', 'claude-sonnet-4-5', 'claude-sonnet-4-5-20250929'],
  ),
  ...price('anthropic', [ANTHROPIC, '2026-10-07'], [1, 0.1, 5], 'claude-haiku-4-5', 'claude-haiku-4-5-20251001'),
  ...price('google', [GOOGLE, '2026-03-01'], [0.3, null, 2.5], 'gemini-2.5-flash'),
  ...price('openai', [OPENAI, '2026-11-05'], [0.25, 0.025, 2], 'gpt-5-mini'),
  ...price('openai', [OPENAI, '2026-11-05'], [2, 0.5, 8], 'gpt-4.1', 'gpt-4.1-2025-04-14'),
  ...price('openai', [OPENAI, '2026-11-05'], [0.4, 0.1, 1.6], 'gpt-4.1-mini', 'gpt-4.1-mini-2025-04-14'),
  ...price('openai', [OPENAI, '2026-11-05'], [0.1, 0.025, 0.4], 'gpt-4.1-nano', 'gpt-4.1-nano-2025-04-14'),
  ...price('openai', [OPENAI, '2026-11-05'], [2.5, 1.25, 10], 'gpt-4o', 'gpt-4o-2024-11-20', 'gpt-4o-2024-08-06'),
  ...price('openai', [OPENAI, '2026-11-05'], [0.15, 0.075, 0.6], 'gpt-4o-mini', 'gpt-4o-mini-2024-07-18'),
];
