import type { JsonValue, RetrySettings } from '@deckhand/contracts';
import type { GraphNode } from '../compile/graph.ts';
import type { NodeFailure } from '../node-failure.ts';
import type { Outcome } from '../outcome.ts';
import { storeRetry } from './node-state.ts';
import { afterFailure, type Progress, withConsole } from './progress.ts';

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

/** Returns whether another attempt may follow one with this outcome. */
export function mayRetry({ retry }: Pick<GraphNode, 'retry'>, outcome: Outcome, attempts: number): boolean {
  return outcome.kind === 'failure' && outcome.failure.isRetryable && attempts < (retry?.maxAttempts ?? 1);
}

/** What follows an attempt. */
export type AfterAttempt =
  /** None follows: the node has this outcome. */
  | { readonly kind: 'settled'; readonly outcome: Outcome; readonly progress: Progress }
  /** Another one follows in this worker. The history in `progress` is without it. */
  | { readonly kind: 'retry'; readonly delayMs: number; readonly progress: Progress }
  /** Another one follows after a rest, whose record has this state. */
  | { readonly kind: 'rest'; readonly failure: NodeFailure; readonly state: JsonValue; readonly progress: Progress };

/**
 * Decides what follows an attempt of a node that ended with an outcome.
 * @param progress of the attempt.
 * @param moment when it ended, in ms since the epoch, and a random number between 0 and 1 for jitter.
 */
export function afterAttempt(
  { retry }: Pick<GraphNode, 'retry'>,
  outcome: Outcome,
  progress: Progress,
  { now, random }: { readonly now: number; readonly random: number },
): AfterAttempt {
  if (outcome.kind !== 'failure') return { kind: 'settled', outcome, progress };
  const { failure } = outcome;
  const { startedAt, attempts, uncounted = 0 } = progress;
  const delayMs = delayAfter(retry, failure, attempts - uncounted, random);
  if (delayMs === undefined) return { kind: 'settled', outcome, progress };
  const uncountedSoFar = uncounted + (failure.retryAfterMs === undefined ? 0 : 1);
  const attemptHistory = afterFailure(progress, failure, now);
  if (delayMs > MAX_RETRY_DELAY_IN_WORKER_MS) {
    const state = storeRetry(now + delayMs, uncountedSoFar);
    return { kind: 'rest', failure, state, progress: { ...withConsole(progress, outcome), attemptHistory } };
  }
  const next = { startedAt, attempts: attempts + 1, attemptHistory, uncounted: uncountedSoFar };
  return { kind: 'retry', delayMs, progress: next };
}

/** Returns the delay before the next attempt, in ms; undefined if none follows. @param attempts those that count. */
function delayAfter(
  retry: GraphNode['retry'],
  failure: NodeFailure,
  attempts: number,
  random: number,
): number | undefined {
  if (failure.retryAfterMs !== undefined) return failure.retryAfterMs;
  const isLast = !retry || !failure.isRetryable || attempts >= retry.maxAttempts;
  return isLast ? undefined : retryDelayMs(retry, attempts, random, failure.minRetryDelayMs);
}
