import { classifyStoreError, type StoreErrorKind } from '@deckhand/db';
import type { Logger } from '@deckhand/runtime';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Retries an operation on a store until it succeeds. `what` names the operation in the log. An aborted `signal` ends
 * the retries with its reason.
 * @throws see `createRetryWhileUnavailable`.
 */
export type RetryWhileUnavailable = <T>(what: string, act: () => Promise<T>, signal?: AbortSignal) => Promise<T>;

/**
 * The worker ended before the store was available again. It writes nothing more for its runs, and recovery takes care
 * of them.
 */
export class RetriesEndedError extends Error {
  override readonly name = 'RetriesEndedError';
}

/** The first failures in a row are logged, then one in `LOG_EVERY`: a store may be unavailable for hours. */
const LOGGED_FAILURES = 5;
const LOG_EVERY = 30;

/** Longest delay between two attempts, in ms. An error that a person has to fix is retried less often. */
const MAX_DELAY_MS: Readonly<Record<Exclude<StoreErrorKind, 'row'>, number>> = { transient: 1_000, deployment: 5_000 };

/**
 * Returns the delay after a failed attempt (the first is 1), in ms. It doubles each time, and is shortened at random by
 * up to a quarter so that workers do not retry at the same moment.
 */
export function retryDelayMs(attempt: number, kind: Exclude<StoreErrorKind, 'row'>): number {
  const delayMs = Math.min(25 * 2 ** Math.min(attempt, 10), MAX_DELAY_MS[kind]);
  return delayMs * (1 - Math.random() / 4);
}

/** Waits before the next attempt. @throws RetriesEndedError once `ended` is aborted. */
export async function waitForRetry(
  attempt: number,
  kind: Exclude<StoreErrorKind, 'row'>,
  { ended, cause }: { ended: AbortSignal; cause: unknown },
): Promise<void> {
  // An abort ends the sleep and is handled below.
  await sleep(retryDelayMs(attempt, kind), undefined, { signal: ended }).catch(() => undefined);
  if (ended.aborted) throw new RetriesEndedError('the worker ended while a store was unavailable', { cause });
}

/** Returns whether a failed attempt is logged. */
export function isLogged(attempt: number): boolean {
  return attempt <= LOGGED_FAILURES || attempt % LOG_EVERY === 0;
}

/**
 * Creates the function that retries operations while stores are unavailable, for as long as it takes. Operations must
 * be idempotent: when a response gets lost, an operation that succeeded is done again.
 * @param options.ended aborted when the worker ends: no attempt is made after that.
 * @returns a function that throws errors of kind `row` unchanged, and RetriesEndedError.
 */
export function createRetryWhileUnavailable(options: { ended: AbortSignal; logger: Logger }): RetryWhileUnavailable {
  const { ended, logger } = options;
  return async (what, act, signal) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await act();
      } catch (err) {
        const kind = classifyStoreError(err);
        if (kind === 'row') throw err;
        if (isLogged(attempt))
          logger[kind === 'deployment' ? 'error' : 'warn'](
            { err, attempt, what, kind },
            'store operation failed, retrying',
          );
        const until = signal ? AbortSignal.any([ended, signal]) : ended;
        await waitForRetry(attempt, kind, { ended: until, cause: err }).catch((error: unknown) => {
          if (!ended.aborted) signal?.throwIfAborted();
          throw error;
        });
      }
    }
  };
}
