import type { JsonObject, JsonValue, WaitKind } from '@deckhand/contracts';
import type { NodeFailure } from './node-failure.ts';

/** The result that a Terminal node sets. */
export interface TerminalResult {
  readonly body: JsonValue;
  readonly statusCode: number;
  readonly headers: JsonObject;
}

/**
 * A wait of a node that occupies no worker. Exactly one answer ends it: a person's, the time's, another run's, or an
 * event's. `details` is for the person who answers, such as `{ message, choices }`, or says which event it is for.
 */
export interface WaitRequest {
  readonly kind: WaitKind;
  readonly details: JsonObject;
  /** When it ends by itself, in ms since the epoch; null if never. */
  readonly dueAt: number | null;
}

/** How a wait ended: by an answer, or because its time was up. */
export type WaitAnswer = { readonly kind: 'answered'; readonly value: JsonValue } | { readonly kind: 'expired' };

/**
 * How long a loop with a condition goes on: while it is true, checked before each iteration, or until it is true,
 * checked after each. The condition is the loop's deferred parameter. If it asks for more than `maxIterations`, the
 * loop fails.
 */
export interface RepeatRule {
  readonly mode: 'while' | 'until';
  readonly maxIterations: number;
}

/**
 * The outcome of running a node. `handle` names the output of a node that has several; `console` is the output of its
 * script, for debug mode.
 */
export type Outcome =
  | {
      readonly kind: 'output';
      readonly output: JsonValue;
      readonly handle?: string;
      readonly console?: readonly string[];
    }
  | { readonly kind: 'result'; readonly result: TerminalResult }
  | { readonly kind: 'wait'; readonly wait: WaitRequest }
  | { readonly kind: 'loop'; readonly items: readonly JsonValue[]; readonly concurrency: number }
  | { readonly kind: 'repeat'; readonly rule: RepeatRule }
  | { readonly kind: 'try' }
  | { readonly kind: 'agent'; readonly concurrency: number }
  | { readonly kind: 'failure'; readonly failure: NodeFailure; readonly console?: readonly string[] };

/** Thrown by a node's `run` to fail it; anything else that is thrown fails it as NODE_FAILED. */
export class NodeError extends Error {
  override readonly name = 'NodeError';
  readonly code: string;
  readonly isRetryable: boolean;
  /** Delay before another attempt regardless of the node's `retry`, in ms. */
  readonly retryAfterMs: number | undefined;
  /** Minimum delay before another attempt that the node's `retry` allows, in ms. */
  readonly minRetryDelayMs: number | undefined;
  /** Members of `error` in the output of a node that continues with its error. */
  readonly details: JsonObject | undefined;

  constructor(
    code: string,
    message: string,
    options: {
      isRetryable?: boolean;
      retryAfterMs?: number;
      minRetryDelayMs?: number | undefined;
      details?: JsonObject;
      cause?: unknown;
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.isRetryable = options.isRetryable ?? true;
    this.retryAfterMs = options.retryAfterMs;
    this.minRetryDelayMs = options.minRetryDelayMs;
    this.details = options.details;
  }
}

/** Returns the outcome of a node with one output. */
export function output(value: JsonValue): Outcome {
  return { kind: 'output', output: value };
}

/** Returns the outcome of a node that has a mock as its output, and does not run. */
export function mockOutcome({ setsResult }: { readonly setsResult?: boolean }, mock: JsonValue): Outcome {
  return setsResult ? { kind: 'result', result: { body: mock, statusCode: 200, headers: {} } } : output(mock);
}
