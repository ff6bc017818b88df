import type { JsonValue } from '@deckhand/contracts';
import { ExpressionError } from '../expressions/index.ts';
import type { NodeFailure } from '../node-failure.ts';
import { NodeError } from '../outcome.ts';
import type { RecordedError } from './records.ts';
import type { Task } from './scope.ts';

/** Converts an error that a node threw to the recorded failure. An unknown error may pass, so it is retryable. */
export function failureOf(thrown: unknown): NodeFailure {
  if (thrown instanceof NodeError) {
    const { message, code, isRetryable, retryAfterMs, minRetryDelayMs, details } = thrown;
    return {
      message,
      code,
      isRetryable,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      ...(minRetryDelayMs === undefined ? {} : { minRetryDelayMs }),
      ...(details === undefined ? {} : { details }),
    };
  }
  if (thrown instanceof ExpressionError) return { message: thrown.message, code: thrown.code, isRetryable: false };
  return { message: thrown instanceof Error ? thrown.message : String(thrown), code: 'NODE_FAILED', isRetryable: true };
}

/** Returns the error of a node that exceeded its `timeoutSeconds`. */
export function timeoutError(timeoutMs: number): NodeError {
  return new NodeError('NODE_TIMEOUT', `did not finish within ${timeoutMs / 1_000} s`);
}

/** Returns the failure of a node with `onInterrupt: "fail"` whose worker died while it ran. */
export const INTERRUPTED: NodeFailure = {
  message: 'its worker died while it ran, and it is not to be run again',
  code: 'NODE_INTERRUPTED',
  isRetryable: false,
};

/** Returns a failure as records have it. */
export function recorded({ message, code }: NodeFailure): RecordedError {
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
