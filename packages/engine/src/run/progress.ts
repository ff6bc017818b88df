import { isJsonObject, type JsonValue } from '@deckhand/contracts';
import type { GraphNode } from '../compile/graph.ts';
import type { NodeFailure } from '../node-failure.ts';
import type { Outcome, WaitRequest } from '../node-type.ts';
import type { AttemptRecord } from './records.ts';
import type { Task } from './scheduler.ts';

/** The progress of a node run. */
export interface Progress {
  readonly startedAt: number;
  readonly attempts: number;
  /** The latest attempts, the one in progress included; undefined while the node makes its first. */
  readonly attemptHistory?: readonly AttemptRecord[] | undefined;
  readonly debug?: JsonValue | undefined;
  /** How many of the attempts the node's `retry` does not count: they waited for something that takes its time. */
  readonly uncounted?: number;
}

/** The progress of a node run that a pause held before an attempt. Before its first attempt, it has no start. */
export interface Kept extends Omit<Progress, 'startedAt'> {
  readonly startedAt: number | null;
}

/** A node that waits: for an answer, or for the time of its next attempt. */
export interface Waiting {
  readonly task: Task;
  readonly next: 'resume' | 'attempt';
  readonly wait: WaitRequest;
  readonly progress: Progress;
}

/** Adds the output of the node's script to its debug data. */
export function withConsole(progress: Progress, outcome: Outcome): Progress {
  const { debug } = progress;
  const lines = outcome.kind === 'output' || outcome.kind === 'failure' ? outcome.console : undefined;
  if (lines === undefined || debug === undefined || !isJsonObject(debug)) return progress;
  return { ...progress, debug: { ...debug, console: lines } };
}

/** Returns whether another attempt may follow one with this outcome. */
export function mayRetry(node: GraphNode, outcome: Outcome, attempts: number): boolean {
  return outcome.kind === 'failure' && outcome.failure.isRetryable && attempts < (node.retry?.maxAttempts ?? 1);
}

/** Returns a failure as records have it. */
export function recorded({ message, code }: NodeFailure): { message: string; code: string } {
  return { message, code };
}

/** Returns the output of a node that continues with its error. */
export function errorOutput(failure: NodeFailure): JsonValue {
  return { error: { ...failure.details, ...recorded(failure) } };
}

/** Returns the output of a try that catches a failure. `iteration` is that of the failed node, in a loop. */
export function caughtOutput({ node, scope: { iteration } }: Task, failure: NodeFailure): JsonValue {
  return {
    error: { nodeId: node.id, ...(iteration === '' ? {} : { iteration }), ...failure.details, ...recorded(failure) },
  };
}
