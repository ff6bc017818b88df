import type { RetrySettings } from '@deckhand/contracts';

/**
 * Longest delay that a node spends in its worker, in ms. During a longer one, the run rests in the database as for a
 * wait, and occupies no worker: a rest costs a claim and reading the run's records, which is more than a few seconds in
 * a worker.
 */
export const MAX_RETRY_DELAY_IN_WORKER_MS = 5_000;

/** Longest minimum delay that counts, in ms: another side must not keep a run for as long as it likes. */
const LONGEST_MIN_DELAY_MS = 86_400_000;

/** Random share of a delay, so that many nodes that fail together do not retry together. */
const JITTER = 0.2;

/**
 * Returns the delay before the next attempt, in ms: `delayMs × factor^(attempts − 1)`, at most `maxDelayMs`, minus up
 * to 20 % at random. With a minimum delay, at least that, plus up to 20 % of the delay at random.
 * @param attempts how many were made, at least 1
 * @param random between 0 and 1
 * @param minDelayMs counts up to a day
 */
export function retryDelayMs(retry: Required<RetrySettings>, attempts: number, random: number, minDelayMs = 0): number {
  const delay = Math.min(retry.delayMs * retry.factor ** (attempts - 1), retry.maxDelayMs);
  const own = Math.round(delay * (1 - JITTER * random));
  const least = Math.min(minDelayMs, LONGEST_MIN_DELAY_MS);
  // Many nodes are told the same time: they spread after it, because an attempt before it is useless.
  return own >= least ? own : Math.round(least + delay * JITTER * random);
}
