import { setTimeout as sleep } from 'node:timers/promises';

/** How many times longer than a quiet machine needs a busy one may take. */
const SLOWNESS = 6;

/**
 * Calls `ask` every 20 ms until it returns neither false nor undefined nor null, and resolves with the value. If it
 * throws, it is called again; its last error is the cause of the time-out's error.
 * @param timeoutMs is enough on a quiet machine.
 * @param what names the awaited event in the error's message.
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
