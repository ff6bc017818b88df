import { classifyStoreError } from '@deckhand/db';

/** Polls in a row without a success after which claims are unhealthy: 2 s, as the worker polls every 250 ms. */
const FAILING_POLLS = 8;

/**
 * Observes whether runs can be claimed and their checkpoints written. A worker that cannot must leave jobs to others.
 */
export interface ClaimHealth {
  /** Watches one attempt to read what a run needs before its first checkpoint. */
  watchRead<T>(read: () => Promise<T>): Promise<T>;
  /**
   * Watches one attempt to claim runs or to write checkpoints. After a failure, only a write that succeeds shows that
   * writes work again.
   */
  watchWrite<T>(write: () => Promise<T>): Promise<T>;
  /** Counts one poll. Must be called at a constant interval. */
  poll(): void;
  /** Returns false once the store is unavailable for several polls, and at once after an error of the deployment. */
  isHealthy(): boolean;
}

/** Failures since the last success. `isRefused`: one was an error of the deployment. */
interface Failures {
  isFailing: boolean;
  isRefused: boolean;
}

/**
 * Creates the health of claims. It counts polls instead of reading a clock: a process that was frozen makes no polls
 * either, so its pause does not count as silence of the database. A watched operation that fails must be retried until
 * it succeeds or the store refuses the values of a row; otherwise nothing shows that the store is available again.
 */
export function createClaimHealth(): ClaimHealth {
  const reads: Failures = { isFailing: false, isRefused: false };
  const writes: Failures = { isFailing: false, isRefused: false };
  let inProgress = 0;
  let failingPolls = 0;
  const isFailing = (): boolean => reads.isFailing || writes.isFailing;

  /** `cleared`: the failures that a success disproves. */
  async function watch<T>(act: () => Promise<T>, cleared: readonly Failures[], failures: Failures): Promise<T> {
    const clearFailures = (): void => {
      for (const each of cleared) Object.assign(each, { isFailing: false, isRefused: false });
      if (!isFailing()) failingPolls = 0;
    };
    inProgress += 1;
    try {
      const result = await act();
      clearFailures();
      return result;
    } catch (error) {
      const kind = classifyStoreError(error);
      // A store that refuses only the values of a row is available.
      if (kind === 'row') clearFailures();
      else {
        failures.isFailing = true;
        if (kind === 'deployment') failures.isRefused = true;
      }
      throw error;
    } finally {
      inProgress -= 1;
    }
  }

  return {
    watchRead: (read) => watch(read, [reads], reads),
    watchWrite: (write) => watch(write, [reads, writes], writes),
    poll() {
      failingPolls = inProgress > 0 || isFailing() ? failingPolls + 1 : 0;
    },
    isHealthy: () => !reads.isRefused && !writes.isRefused && failingPolls < FAILING_POLLS,
  };
}
