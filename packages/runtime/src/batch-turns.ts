/**
 * For so long a batch is waited for before another one begins beside it, in ms: longer than most take, and short for
 * who waits.
 */
const PATIENCE_MS = 25;

/** Who may begin a batch, and when. */
export interface BatchTurns {
  /**
   * Whether a batch may begin now; if not, `onFree` tells when to ask again.
   * @param isFull whether as many wait as one batch takes.
   */
  isFree(isFull: boolean): boolean;
  /** A batch begins. */
  begin(): void;
  /** A batch has ended. */
  end(): void;
  /** Batches under way. */
  readonly underWay: number;
}

/**
 * Lets batches gather what comes while another one is under way, which costs the database far less than two small ones
 * at once; unless that one takes long, be it for its size or for a connection that says nothing.
 * @param options.concurrency batches under way at once at most.
 */
export function createBatchTurns(options: { concurrency: number; onFree: () => void }): BatchTurns {
  let underWay = 0;
  let beganAt = 0;
  let timer: NodeJS.Timeout | undefined;
  return {
    isFree(isFull) {
      if (underWay >= options.concurrency) return false;
      const restMs = beganAt + PATIENCE_MS - performance.now();
      if (underWay === 0 || isFull || restMs <= 1) return true;
      timer ??= setTimeout(() => {
        timer = undefined;
        options.onFree();
      }, Math.ceil(restMs));
      return false;
    },
    begin() {
      underWay += 1;
      beganAt = performance.now();
    },
    end() {
      underWay -= 1;
      options.onFree();
    },
    get underWay() {
      return underWay;
    },
  };
}
