import { AsyncLocalStorage } from 'node:async_hooks';
import { createFlushGate } from './flush-gate.ts';

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
