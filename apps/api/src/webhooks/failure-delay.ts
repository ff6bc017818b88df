import { setTimeout } from 'node:timers/promises';

/**
 * Counts a caller whose secret was wrong, and waits before the answer, longer with each failure.
 * @param caller the webhook and the network of the caller.
 * @param signal ends the wait: the caller went away.
 */
export type DelayFailure = (caller: string, signal: AbortSignal) => Promise<void>;

/** A caller that has not failed for so long, in ms, begins anew. */
const FORGET_MS = 300_000;
/** Failures that are not delayed: a typo, and what a caller sends before it is noticed. */
const FREE_FAILURES = 5;
const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 2_000;
/** Callers that are counted at once; the one that was quiet for longest is forgotten for the next. */
const MAX_CALLERS = 10_000;
/** Answers that wait at once; further ones do not, since each holds a connection. */
const MAX_WAITING = 500;

/**
 * Slows down guessing of the secrets of webhooks, per process. Callers with the right secret never wait, whatever
 * others send.
 * @param options.wait in place of a timer. `now`: a clock, in ms.
 */
export function createFailureDelay({
  wait = (ms: number, signal: AbortSignal): Promise<unknown> => setTimeout(ms, undefined, { signal }),
  now = (): number => performance.now(),
} = {}): DelayFailure {
  /** The caller that failed last is the last. */
  const callers = new Map<string, { failures: number; at: number }>();
  let waiting = 0;

  function countFailure(caller: string): number {
    const known = callers.get(caller);
    const failures = known !== undefined && now() - known.at < FORGET_MS ? known.failures + 1 : 1;
    callers.delete(caller);
    callers.set(caller, { failures, at: now() });
    const [quietest] = callers.keys();
    if (callers.size > MAX_CALLERS && quietest !== undefined) callers.delete(quietest);
    return failures;
  }

  return async (caller, signal) => {
    const delayed = countFailure(caller) - FREE_FAILURES;
    if (delayed <= 0 || waiting >= MAX_WAITING) return;
    waiting += 1;
    try {
      await wait(Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (delayed - 1)), signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      waiting -= 1;
    }
  };
}
