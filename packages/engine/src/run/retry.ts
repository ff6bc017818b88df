import type { RetrySettings } from '@deckhand/contracts';

/**
 * Longest delay that a node spends in its worker, in ms. A longer one rests in the database as a wait does and holds no
 * place: a rest costs a claim and the reading of the run's records, which is more than a place for a few seconds.
 */
export const RETRY_DELAY_IN_WORKER_MAX_MS = 5_000;

/** Share of a delay that is left to chance, so that many failing at once do not come back at once. */
const JITTER = 0.2;

/**
 * The wait before the next attempt, in ms: `delayMs × factor^(attempts − 1)`, at most `maxDelayMs`, up to 20 % less by
 * chance.
 * @param attempts how many were made, at least 1
 * @param random between 0 and 1
 */
export function retryDelayMs(retry: Required<RetrySettings>, attempts: number, random: number): number {
  const delay = Math.min(retry.delayMs * retry.factor ** (attempts - 1), retry.maxDelayMs);
  return Math.round(delay * (1 - JITTER * random));
}
