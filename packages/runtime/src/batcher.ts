import { AsyncLocalStorage } from 'node:async_hooks';
import { createFlushGate } from './flush-gate.js';

/** How a batcher gathers and writes. */
export interface BatcherOptions<I, O> {
  /** Handles a batch; answers in the order of its items. A rejection rejects every item of the batch. */
  readonly flush: (items: I[]) => Promise<O[]>;
  /** Items of one batch at most. */
  readonly maxSize: number;
  /** Batches under way at once at most: more than one where one takes long, or many items wait. */
  readonly concurrency: number;
}

interface Waiting<I, O> {
  readonly item: I;
  readonly resolve: (answer: O) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Gathers single calls into batches. An idle batcher flushes after the current turn of the event loop, so a lone call
 * waits for nobody; a busy one gathers while a batch is under way, so batches grow with the load.
 * @returns a function that takes one item and resolves with its own answer.
 */
export function createBatcher<I, O>(options: BatcherOptions<I, O>): (item: I) => Promise<O> {
  const waiting: Waiting<I, O>[] = [];
  const gate = createFlushGate({ concurrency: options.concurrency, onFree: schedule });
  // A batch belongs to none of its callers.
  const flushBatch = AsyncLocalStorage.bind(options.flush);
  let isScheduled = false;

  function schedule(): void {
    if (isScheduled || waiting.length === 0 || !gate.isFree(waiting.length >= options.maxSize)) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      void flush();
      schedule();
    });
  }

  async function flush(): Promise<void> {
    const batch = waiting.splice(0, options.maxSize);
    if (batch.length === 0) return;
    gate.begin();
    try {
      const answers = await flushBatch(batch.map((entry) => entry.item));
      if (answers.length !== batch.length) {
        throw new Error(`a batch of ${batch.length} got ${answers.length} answers`);
      }
      answers.forEach((answer, index) => batch[index]?.resolve(answer));
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
