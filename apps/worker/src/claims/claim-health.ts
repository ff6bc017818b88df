import { classifyStoreError } from '@deckhand/db';

/** Polls without a success after which none is expected soon: 2 s at the worker's pace. */
const FAILING_POLLS = 8;

/**
 * Whether runs can be claimed and their checkpoints written. A worker that cannot must leave jobs to those that can.
 */
export interface ClaimHealth {
  /** Watches one attempt to read what a run needs before its first checkpoint. */
  watchRead<T>(read: () => Promise<T>): Promise<T>;
  /**
   * Watches one attempt to claim runs or to write checkpoints. After a failure, only a write that succeeds shows that
   * writes work again.
   */
  watchWrite<T>(write: () => Promise<T>): Promise<T>;
  /** Counts one poll; to be called at a steady pace. */
  poll(): void;
  /** False while the store is unavailable for several polls, and at once after an error of the deployment. */
  isHealthy(): boolean;
}

/** Failures that nothing has disproved yet. */
interface Failures {
  isFailing: boolean;
  isRefused: boolean;
}

/**
 * Creates it. It counts polls instead of reading a clock: a process that was frozen has missed polls as well, and is
 * not taken for one whose database was silent meanwhile. An operation that is watched and fails must be repeated until
 * it succeeds or fails for the values of a row, or nothing will show that the store is available again.
 */
export function createClaimHealth(): ClaimHealth {
  const reads: Failures = { isFailing: false, isRefused: false };
  const writes: Failures = { isFailing: false, isRefused: false };
  let inProgress = 0;
  let failingPolls = 0;
  const isFailing = (): boolean => reads.isFailing || writes.isFailing;

  async function watch<T>(act: () => Promise<T>, disproved: readonly Failures[], failures: Failures): Promise<T> {
    const answered = (): void => {
      for (const each of disproved) Object.assign(each, { isFailing: false, isRefused: false });
      if (!isFailing()) failingPolls = 0;
    };
    inProgress += 1;
    try {
      const result = await act();
      answered();
      return result;
    } catch (error) {
      const kind = classifyStoreError(error);
      // The store is available where it refuses only the values of a row.
      if (kind === 'row') answered();
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
