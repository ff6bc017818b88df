import { isJsonObject, type JsonValue, type RetrySettings } from '@deckhand/contracts';
import type { NodeFailure } from '../node-failure.ts';
import type { Outcome } from '../outcome.ts';
import { recorded } from './failure.ts';
import { storedUncounted, storeRetry, type AttemptRecord, type NodeRecord, type RecordedError } from './records.ts';
import type { GraphNode } from '../compile/graph.ts';

/*
 * What is known of a node run while it makes its attempts, and what follows each. Pure: times, in ms since the epoch,
 * and random numbers are handed in.
 */

/** Maximum number of attempts of a node that are remembered: the latest. */
const MAX_REMEMBERED = 20;
/** Maximum length of the message of an earlier attempt, in characters. */
const MAX_MESSAGE = 300;

/** The attempts of a node with several, in their order. A node that makes its first attempt has none. */
export type AttemptHistory = readonly AttemptRecord[] | undefined;

/** The progress of a node run. */
export interface Progress {
  readonly startedAt: number;
  readonly attempts: number;
  /** The latest attempts, the one in progress included; undefined while the node makes its first. */
  readonly attemptHistory?: AttemptHistory;
  readonly debug?: JsonValue | undefined;
  /** How many of the attempts the node's `retry` does not count: they waited for something that takes its time. */
  readonly uncounted?: number;
}

/** The progress of a node run whose next attempt has not begun. Before its first attempt, it has no start. */
export interface Kept extends Omit<Progress, 'startedAt'> {
  readonly startedAt: number | null;
}

/** Returns the progress of a node as its record has it. @param now its start if the record has none. */
export function recordedProgress(record: NodeRecord, now: number): Progress {
  const { startedAt, attempts, attemptHistory, debug } = record;
  return { startedAt: startedAt ?? now, attempts, attemptHistory, debug, uncounted: storedUncounted(record) };
}

/**
 * Returns the progress of a node that is about to make an attempt at `now`.
 * @param before what an earlier worker recorded. Its history is without the attempt that begins.
 */
export function nextProgress(before: NodeRecord | undefined, now: number): Progress {
  if (!before) return { startedAt: now, attempts: 1 };
  return {
    startedAt: before.startedAt ?? now,
    attempts: before.attempts + 1,
    attemptHistory: earlierAttempts(before),
    uncounted: storedUncounted(before),
  };
}

/** Returns the progress of a node whose next attempt did not begin. @param next its history is without that attempt. */
export function withoutAttempt(next: Progress): Kept {
  return { ...next, startedAt: next.attempts === 1 ? null : next.startedAt, attempts: next.attempts - 1 };
}

/** Adds the output of the node's script to its debug data. */
export function withConsole(progress: Progress, outcome: Outcome): Progress {
  const { debug } = progress;
  const lines = outcome.kind === 'output' || outcome.kind === 'failure' ? outcome.console : undefined;
  if (lines === undefined || debug === undefined || !isJsonObject(debug)) return progress;
  return { ...progress, debug: { ...debug, console: lines } };
}

/** Returns the history after an attempt that failed at `now`, in ms, and that another one follows. */
function afterFailure({ startedAt, attemptHistory }: Progress, failure: NodeFailure, now: number): AttemptHistory {
  return ended(attemptHistory ?? [inProgress(startedAt)], now, recorded(failure));
}

/** Returns the history when another attempt starts at `now`, in ms; undefined if it is the first. */
export function withAttempt(history: AttemptHistory, now: number): AttemptHistory {
  return history && [...history, inProgress(now)].slice(-MAX_REMEMBERED);
}

/**
 * Returns the attempts before the next one of a node that an earlier worker left unfinished. When an attempt ended that
 * its worker did not survive is unknown.
 */
function earlierAttempts({ status, startedAt, attemptHistory }: NodeRecord): AttemptHistory {
  if (attemptHistory || status !== 'running' || startedAt === null) return attemptHistory;
  return [inProgress(startedAt)];
}

/** Returns the history of a node that ended, at `now` in ms, with its last attempt. */
export function ended(history: AttemptHistory, now: number, error: RecordedError | null): AttemptHistory {
  const last = history?.at(-1);
  if (!history || last?.finishedAt !== null) return history;
  return [...history.slice(0, -1), { ...last, finishedAt: now, error: error && shortened(error) }];
}

function inProgress(startedAt: number): AttemptRecord {
  return { startedAt, finishedAt: null, error: null };
}

function shortened({ message, code }: RecordedError): RecordedError {
  return { message: message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)}…` : message, code };
}

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
export function delayAfter(
  retry: GraphNode['retry'],
  failure: NodeFailure,
  attempts: number,
  random: number,
): number | undefined {
  if (failure.retryAfterMs !== undefined) return failure.retryAfterMs;
  const isLast = !retry || !failure.isRetryable || attempts >= retry.maxAttempts;
  return isLast ? undefined : retryDelayMs(retry, attempts, random, failure.minRetryDelayMs);
}
