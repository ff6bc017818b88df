import type { Logger } from '@deckhand/runtime';
import { setTimeout as sleep } from 'node:timers/promises';

/** Longest pause between two tries, in ms. */
const RETRY_MAX_MS = 1_000;

/** Does something with the database, again and again while the database is away. */
export type Persist = <T>(what: string, act: () => Promise<T>) => Promise<T>;

/**
 * Creates it. A worker that has claimed a run must not lose it because an answer got lost: so what it asks for is asked
 * again, and everything it asks for is written so that asking twice is harmless.
 * @param isUnavailable true for an error that says nothing of the request itself. Any other error is thrown on.
 */
export function createPersist(options: { isUnavailable: (error: unknown) => boolean; logger: Logger }): Persist {
  return async (what, act) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await act();
      } catch (err) {
        if (!options.isUnavailable(err)) throw err;
        options.logger.warn({ err, attempt }, `${what}: the database is away, trying again`);
        await sleep(Math.min(25 * 2 ** Math.min(attempt, 6), RETRY_MAX_MS));
      }
    }
  };
}
