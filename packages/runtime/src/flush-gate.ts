/** How long a flush is given to end before the next one may start beside it, in ms. Most flushes take less. */
const OVERLAP_DELAY_MS = 25;

/** Decides when a batch may be flushed. */
export interface FlushGate {
  /**
   * Returns true if a flush may start now. If not, `onFree` is called when it is worth asking again.
   * @param isFull whether enough items wait to fill a batch.
   */
  isFree(isFull: boolean): boolean;
  /** Marks the start of a flush. */
  begin(): void;
  /** Marks the end of a flush. */
  end(): void;
  /** Number of flushes in progress. */
  readonly inProgress: number;
}

/**
 * Creates a gate that lets items gather while a flush is in progress: one large batch costs the database far less than
 * two small ones at the same time. A second flush starts only if the batch is full, or if the first one takes long,
 * because of its size or of a connection that hangs.
 * @param options.concurrency maximum number of flushes at the same time.
 */
export function createFlushGate(options: { concurrency: number; onFree: () => void }): FlushGate {
  let inProgress = 0;
  let lastStartedAt = 0;
  let timer: NodeJS.Timeout | undefined;
  return {
    isFree(isFull) {
      if (inProgress >= options.concurrency) return false;
      const delayMs = lastStartedAt + OVERLAP_DELAY_MS - performance.now();
      if (inProgress === 0 || isFull || delayMs <= 1) return true;
      timer ??= setTimeout(() => {
        timer = undefined;
        options.onFree();
      }, Math.ceil(delayMs));
      return false;
    },
    begin() {
      inProgress += 1;
      lastStartedAt = performance.now();
    },
    end() {
      inProgress -= 1;
      options.onFree();
    },
    get inProgress() {
      return inProgress;
    },
  };
}
