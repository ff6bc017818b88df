import { classifyStoreError, type StoreErrorKind } from '@deckhand/db';
import type { Logger } from '@deckhand/runtime';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Repeats an operation on a store until it succeeds. `what` names it in the log.
 * @throws see `createRetryWhileUnavailable`.
 */
export type RetryWhileUnavailable = <T>(what: string, act: () => Promise<T>) => Promise<T>;

/**
 * The worker's retries ended before the store was available again. Its runs are left to recovery: nothing more is
 * written of them.
 */
export class RetriesEndedError extends Error {
  override readonly name = 'RetriesEndedError';
}

/** How many failures in a row are logged before only one in so many is: a store may be away for hours. */
const LOGGED_FAILURES = 5;
const LOG_EVERY = 30;

/** Longest delays between two attempts, in ms. What a person has to mend is tried less often. */
const DELAY_MAX_MS: Readonly<Record<Exclude<StoreErrorKind, 'row'>, number>> = { transient: 1_000, deployment: 5_000 };

/**
 * How long to wait after a failed attempt (the first is 1), in ms: doubled each time, with up to a quarter less so that
 * workers spread out.
 */
export function retryDelayMs(attempt: number, kind: Exclude<StoreErrorKind, 'row'>): number {
  const delayMs = Math.min(25 * 2 ** Math.min(attempt, 10), DELAY_MAX_MS[kind]);
  return delayMs * (1 - Math.random() / 4);
}

/** Waits before the next attempt. @throws RetriesEndedError once `ended` is aborted. */
export async function waitForRetry(
  attempt: number,
  kind: Exclude<StoreErrorKind, 'row'>,
  { ended, cause }: { ended: AbortSignal; cause: unknown },
): Promise<void> {
  // An abort while it sleeps is seen below.
  await sleep(retryDelayMs(attempt, kind), undefined, { signal: ended }).catch(() => undefined);
  if (ended.aborted) throw new RetriesEndedError('the worker ended while a store was unavailable', { cause });
}

/** Whether a failure is worth a line in the log. */
export function isLogged(attempt: number): boolean {
  return attempt <= LOGGED_FAILURES || attempt % LOG_EVERY === 0;
}

/**
 * Creates the function that repeats operations while stores are unavailable, for as long as it takes. A worker that has
 * claimed a run must not lose it because a response got lost, so every operation given to it must be harmless when it
 * is done twice.
 * @param options.ended aborted when the worker ends: attempts end then, and so do those that come later.
 * @returns a function that throws errors of kind `row` as they are, and RetriesEndedError.
 */
export function createRetryWhileUnavailable(options: { ended: AbortSignal; logger: Logger }): RetryWhileUnavailable {
  const { ended, logger } = options;
  return async (what, act) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await act();
      } catch (err) {
        const kind = classifyStoreError(err);
        if (kind === 'row') throw err;
        if (isLogged(attempt))
          logger[kind === 'deployment' ? 'error' : 'warn'](
            { err, attempt, what, kind },
            'store operation failed, trying again',
          );
        await waitForRetry(attempt, kind, { ended, cause: err });
      }
    }
  };
}
