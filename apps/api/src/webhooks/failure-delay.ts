import { setTimeout } from 'node:timers/promises';

/**
 * Counts a wrong secret of a caller, and delays its response, longer with each failure.
 * @param caller the webhook and the network of the caller.
 * @param signal ends the delay because the caller disconnected.
 */
export type DelayFailure = (caller: string, signal: AbortSignal) => Promise<void>;

/** After this time without a failure, in ms, the count of a caller starts again. */
const FORGET_MS = 300_000;
/** Number of failures without delay: a typo, and requests sent before it is noticed. */
const FREE_FAILURES = 5;
const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 2_000;
/** Maximum number of counted callers. The one without failures for the longest time is forgotten first. */
const MAX_CALLERS = 10_000;
/** Maximum number of delayed responses. Further ones are not delayed, because each occupies a connection. */
const MAX_WAITING = 500;

/**
 * Creates the delay, which slows down guessing of webhook secrets, per process. Callers with the right secret never
 * wait, whatever others send.
 * @param options.wait replaces the timer. `now` is a clock in ms.
 */
export function createFailureDelay({
  wait = (ms: number, signal: AbortSignal): Promise<unknown> => setTimeout(ms, undefined, { signal }),
  now = (): number => performance.now(),
} = {}): DelayFailure {
  /** In the order of their last failures. */
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
