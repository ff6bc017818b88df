import { AsyncLocalStorage } from 'node:async_hooks';

/** Options of a batcher. */
export interface BatcherOptions<I, O> {
  /** Handles a batch, and returns results in the order of its items. A rejection rejects every item. */
  readonly flush: (items: I[]) => Promise<O[]>;
  /** Maximum number of items in a batch. */
  readonly maxSize: number;
  /** Maximum number of batches in progress. A second one starts only if the first takes long, or many items wait. */
  readonly concurrency: number;
  /** For how long an idle batcher gathers items before it flushes fewer than `maxSize`, in ms; 0 by default. */
  readonly gatherMs?: number;
}

interface Waiting<I, O> {
  readonly item: I;
  readonly resolve: (result: O) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Creates a batcher, which gathers single calls into batches. An idle batcher flushes after the current tick of the
 * event loop, so a single call is not delayed. A busy one gathers while a batch is in progress, so batches grow with
 * the load.
 * @returns a function that takes one item and resolves with its result.
 */
export function createBatcher<I, O>(options: BatcherOptions<I, O>): (item: I) => Promise<O> {
  const waiting: Waiting<I, O>[] = [];
  const gate = createFlushGate({ concurrency: options.concurrency, onFree: schedule });
  // A batch must not run in the async context of one of its callers.
  const flushBatch = AsyncLocalStorage.bind(options.flush);
  const { maxSize, gatherMs = 0 } = options;
  let isScheduled = false;
  let timer: NodeJS.Timeout | undefined;

  function schedule(): void {
    const isFull = waiting.length >= maxSize;
    if (isScheduled || waiting.length === 0 || !gate.isFree(isFull)) return;
    if (gatherMs > 0 && !isFull) {
      timer ??= setTimeout(flushNext, gatherMs);
      return;
    }
    isScheduled = true;
    setImmediate(flushNext);
  }

  function flushNext(): void {
    clearTimeout(timer);
    timer = undefined;
    isScheduled = false;
    void flush();
    schedule();
  }

  async function flush(): Promise<void> {
    const batch = waiting.splice(0, maxSize);
    if (batch.length === 0) return;
    gate.begin();
    try {
      const results = await flushBatch(batch.map((entry) => entry.item));
      if (results.length !== batch.length) {
        throw new Error(`a batch of ${batch.length} got ${results.length} results`);
      }
      results.forEach((result, index) => batch[index]?.resolve(result));
    } catch (error) {
      for (const entry of batch) entry.reject(error);
    } finally {
      gate.end();
    }
  }

  return (item) =>
    new Promise<O>((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      schedule();
    });
}

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
