import type { NodeFailure } from '../node-failure.ts';
import { recorded, type Progress } from './progress.ts';
import type { AttemptRecord, NodeRecord, RecordedError } from './records.ts';

/** Maximum number of attempts of a node that are remembered: the latest. */
const MAX_REMEMBERED = 20;
/** Maximum length of the message of an earlier attempt, in characters. */
const MAX_MESSAGE = 300;

/** The attempts of a node with several, in their order. A node that makes its first attempt has none. */
export type AttemptHistory = readonly AttemptRecord[] | undefined;

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
export function earlierAttempts({ status, startedAt, attemptHistory }: NodeRecord): AttemptHistory {
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
