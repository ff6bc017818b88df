import { expect } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';

/** What `ask` returns as long as the event has not happened. */
const NOT_YET: readonly unknown[] = [false, undefined, null];

/**
 * A test that has waited for so long hangs. It is not a promise of the product: those are held by `expectWithin`
 * (promises.ts).
 */
const HANGING_MS = 120_000;

/** Longer than any test waits, in ms: something that takes so long never happens. */
export const NEVER_MS = 600_000;

/**
 * Calls `ask` every 20 ms until it returns neither false nor undefined nor null, and resolves with the value. If it
 * throws, it is called again; its last error is the cause of the error for a test that hangs.
 * @param what names the awaited event in the error's message.
 */
export async function until<T>(
  ask: () => T | Promise<T>,
  what = 'what was waited for',
): Promise<Exclude<T, false | undefined | null>> {
  const deadline = performance.now() + HANGING_MS;
  let cause: unknown;
  do {
    try {
      const answer = await ask();
      if (!NOT_YET.includes(answer)) {
        // The runner counts assertions, and a test may do nothing but wait.
        expect(NOT_YET).not.toContain(answer);
        return answer as Exclude<T, false | undefined | null>;
      }
    } catch (error) {
      cause = error;
    }
    await sleep(20);
  } while (performance.now() < deadline);
  throw new Error(`${what} did not happen within ${HANGING_MS} ms`, { cause });
}

/**
 * Waits until `count` returns at least `wanted`, for as long as it changes now and then: the work of a load takes as
 * long as it takes.
 * @param what names that which is counted in the error's message.
 */
export async function untilCount(count: () => number | Promise<number>, wanted: number, what: string): Promise<void> {
  let current: number | undefined;
  while (current === undefined || current < wanted) {
    const last: number | undefined = current;
    current = await until(
      async () => {
        const now = await count();
        return now !== last && now;
      },
      last === undefined ? what : `${what}: a change of ${last} of ${wanted}`,
    );
  }
}
