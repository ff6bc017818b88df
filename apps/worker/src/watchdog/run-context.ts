import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * The id of the run to which the code belongs that is running or threw; undefined outside of runs. It also covers the
 * continuations and callbacks of what was called in it.
 */
export const runContext = new AsyncLocalStorage<string>();

/** Global symbol under which the watchdog thread finds the current run in the main thread. */
const GLOBAL_NAME = 'deckhand.currentRun';

Object.defineProperty(globalThis, Symbol.for(GLOBAL_NAME), { value: () => runContext.getStore(), configurable: true });

/**
 * Expression that the main thread evaluates, even while it is blocked. Its value is a MainThreadSample as JSON: the run
 * whose code it interrupts, and the stack.
 */
export const SAMPLE_EXPRESSION = `JSON.stringify({
  executionId: globalThis[Symbol.for('${GLOBAL_NAME}')]?.() ?? null,
  stack: new Error().stack.split('\\n').slice(2).join('\\n'),
})`;

/** A sample of what the main thread runs. */
export interface MainThreadSample {
  /** Null if it runs code of no run. */
  readonly executionId: string | null;
  /** The innermost calls. */
  readonly stack: string;
}
