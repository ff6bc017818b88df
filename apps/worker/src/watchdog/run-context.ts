import { AsyncLocalStorage } from 'node:async_hooks';

/** Under this name the watchdog's thread finds the function that returns which run the main thread runs right now. */
const GLOBAL_NAME = 'deckhand.currentRun';

const runs = new AsyncLocalStorage<string>();

Object.defineProperty(globalThis, Symbol.for(GLOBAL_NAME), { value: currentRun, configurable: true });

/** Runs the code of a run, and all that continues it after an await or in a callback, in the run's context. */
export function inRunContext<T>(executionId: string, act: () => T): T {
  return runs.run(executionId, act);
}

/** Returns the run whose code the main thread runs right now, or whose code threw; undefined when it is no run's. */
export function currentRun(): string | undefined {
  return runs.getStore();
}

/**
 * Evaluated by the main thread, even while it is blocked: the run whose code it interrupts, and where, as a
 * MainThreadSample in JSON.
 */
export const SAMPLE_EXPRESSION = `JSON.stringify({
  executionId: globalThis[Symbol.for('${GLOBAL_NAME}')]?.() ?? null,
  stack: new Error().stack.split('\\n').slice(2).join('\\n'),
})`;

/** What the main thread does at a moment. */
export interface MainThreadSample {
  /** Null when it runs no run's code. */
  readonly executionId: string | null;
  /** The innermost calls. */
  readonly stack: string;
}
