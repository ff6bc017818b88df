/** The number of rows per batch of a task: smaller after a batch was too slow, so that a slow row is soon alone. */
export interface BatchSize {
  /** Returns the limit of the next batches. @param maxRows the usual limit. */
  readonly limit: (maxRows: number) => number;
  /** Notes that a batch was cancelled because it took too long, or waited too long for a lock. */
  tooSlow(rows: number): void;
  /** Notes that a pass ended without that. */
  passed(): void;
}

/** By how much batches shrink: few steps, because each of them takes as long as a statement may. */
const SHRINKING = 8;
const GROWTH = 2;

/** Creates the size of a task's batches. */
export function createBatchSize(): BatchSize {
  let rows = Infinity;
  return {
    limit: (maxRows) => Math.min(rows, maxRows),
    tooSlow(count) {
      rows = Math.max(1, Math.floor(count / SHRINKING));
    },
    passed() {
      rows *= GROWTH;
    },
  };
}
