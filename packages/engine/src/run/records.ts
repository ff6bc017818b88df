import type { JsonValue, NodeStatus } from '@deckhand/contracts';

/** The error of a node run, as stored and shown. */
export interface RecordedError {
  readonly message: string;
  readonly code: string;
}

/** One of several attempts of a node. Times are ms since the epoch. */
export interface AttemptRecord {
  readonly startedAt: number;
  /** Null while it is in progress, and if its worker died. */
  readonly finishedAt: number | null;
  /** Why it failed. */
  readonly error: RecordedError | null;
}

/**
 * The record of a node run in a checkpoint: the engine writes it, and reads it when another worker resumes the run.
 * Times are ms since the epoch.
 */
export interface NodeRecord {
  readonly nodeId: string;
  /** "" outside loops, "3" inside one, "3.1" inside two. */
  readonly iteration: string;
  /** `stopped`: it was cancelled after it had begun. */
  readonly status: NodeStatus;
  readonly startedAt: number | null;
  readonly finishedAt: number | null;
  /** Attempts started so far. */
  readonly attempts: number;
  /** The latest attempts, the one in progress included; undefined for a node that makes its first. */
  readonly attemptHistory?: readonly AttemptRecord[] | undefined;
  readonly handle: string | null;
  /** Undefined while there is none. */
  readonly output: JsonValue | undefined;
  readonly error: RecordedError | null;
  /** State that a resumed run needs: a loop's items, a wait, the decision of an early join. */
  readonly state: JsonValue | undefined;
  /** Debug mode: the input of the node. */
  readonly debug: JsonValue | undefined;
}

/**
 * The position of a loop in progress in a checkpoint. With it, a resumed run needs only the records of iterations in
 * progress.
 */
export interface LoopPosition {
  readonly nodeId: string;
  /** The iteration of another loop that contains this one; "" outside loops. */
  readonly iteration: string;
  /** Index of the first item whose iteration has not begun. */
  readonly next: number;
  /** Indexes below `next` whose iterations are not finished. */
  readonly open: readonly number[];
}

/** The key of a record: a node and its iteration. */
export function recordKey(nodeId: string, iteration: string): string {
  return `${nodeId}/${iteration}`;
}

/** Returns the iterations in progress at these positions: a resumed run reads their records. */
export function openIterations(positions: Iterable<LoopPosition>): string[] {
  return [...positions].flatMap(({ iteration, open }) => open.map((index) => joinIteration(iteration, index)));
}

/** Returns the key of an iteration of a loop that is part of the iteration `outer`: "3", or "3.1". */
export function joinIteration(outer: string, index: number): string {
  return outer === '' ? String(index) : `${outer}.${index}`;
}
