import { AsyncLocalStorage } from 'node:async_hooks';

/** Global symbol under which the watchdog thread finds `currentRun` in the main thread. */
const GLOBAL_NAME = 'deckhand.currentRun';

const runs = new AsyncLocalStorage<string>();

Object.defineProperty(globalThis, Symbol.for(GLOBAL_NAME), { value: currentRun, configurable: true });

/** Calls a function in the context of a run. The context also covers its continuations and callbacks. */
export function inRunContext<T>(executionId: string, act: () => T): T {
  return runs.run(executionId, act);
}

/** Returns the id of the run to which the code belongs that is running or threw; undefined outside of runs. */
export function currentRun(): string | undefined {
  return runs.getStore();
}

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
