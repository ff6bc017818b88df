import { isJsonObject, type JsonValue } from '@deckhand/contracts';
import type { NodeFailure } from '../node-failure.ts';
import type { Outcome } from '../outcome.ts';
import { recorded } from './failure.ts';
import { storedUncounted } from './node-state.ts';
import type { AttemptRecord, NodeRecord, RecordedError } from './records.ts';

/* What is known of a node run while it makes its attempts. Pure: times are handed in, in ms since the epoch. */

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
export function afterFailure(
  { startedAt, attemptHistory }: Progress,
  failure: NodeFailure,
  now: number,
): AttemptHistory {
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
