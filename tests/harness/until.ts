import { setTimeout as sleep } from 'node:timers/promises';

/** How many times longer than a quiet machine needs a busy one may take. */
const SLOWNESS = 3;

/**
 * Asks every 20 ms until the answer is neither false nor undefined nor null, and resolves with it.
 * A question that throws is asked again; its last error is the cause of the time-out's.
 * @param timeoutMs is enough on a quiet machine.
 * @param what says in the error's message what was waited for.
 */
export async function until<T>(
  ask: () => T | Promise<T>,
  timeoutMs = 5_000,
  what = 'what was waited for',
): Promise<Exclude<T, false | undefined | null>> {
  const limitMs = timeoutMs * SLOWNESS;
  const deadline = Date.now() + limitMs;
  let cause: unknown;
  do {
    try {
      const answer = await ask();
      if (answer !== false && answer !== undefined && answer !== null) {
        return answer as Exclude<T, false | undefined | null>;
      }
    } catch (error) {
      cause = error;
    }
    await sleep(20);
  } while (Date.now() < deadline);
  throw new Error(`${what} did not happen within ${limitMs} ms`, { cause });
}
