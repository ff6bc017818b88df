import { Session } from 'node:inspector/promises';
import { getHeapStatistics } from 'node:v8';
import type { Logger } from './logger.ts';

/** Interval of checks whether the process is idle, in ms. */
const INTERVAL_MS = 5_000;
/** Minimum growth of the heap, in bytes, that is worth a collection of about 0.1 s. */
const WORTH_BYTES = 16 * 2 ** 20;
/** Growth, in bytes, for which a process that has just become idle does not wait until it was so for a while. */
const LARGE_BYTES = 128 * 2 ** 20;

/**
 * Makes an idle process release the memory that its start or its last load took. V8 collects only when something is
 * allocated, which an idle process hardly does: the space for new objects alone would stay at 32 MB.
 * @param options.workSoFar counts the work of the process. It is idle while the count is the same in two checks.
 * @param options.intervalMs interval of the checks in ms, 5 s by default.
 * @returns a function that stops the checks, which do not keep the process alive; and one to be called whenever the
 * process has become idle: after something large it collects at once, so that the next work begins with little memory.
 */
export function collectAtRest(options: { logger: Logger; workSoFar: () => number; intervalMs?: number }): {
  stop: () => void;
  becameIdle: () => void;
} {
  const { logger, workSoFar, intervalMs = INTERVAL_MS } = options;
  let seen = workSoFar();
  let collectedBytes = 0;

  const heapBytes = (): number => getHeapStatistics().total_heap_size;
  const collect = (): void => {
    collectGarbage()
      .then(() => {
        collectedBytes = heapBytes();
        logger.debug({ heapBytes: collectedBytes }, 'collected garbage while idle');
      })
      .catch((err: unknown) => logger.warn({ err }, 'failed to collect garbage'));
  };
  const timer = setInterval(() => {
    const before = seen;
    seen = workSoFar();
    if (seen === before && heapBytes() >= collectedBytes + WORTH_BYTES) collect();
  }, intervalMs);
  timer.unref();
  return {
    stop: () => clearInterval(timer),
    becameIdle() {
      if (heapBytes() >= collectedBytes + LARGE_BYTES) collect();
    },
  };
}

/** Collects all garbage and releases the pages. V8's `gc()` alone does not release them. */
async function collectGarbage(): Promise<void> {
  const session = new Session();
  session.connect();
  try {
    await session.post('HeapProfiler.collectGarbage');
  } finally {
    session.disconnect();
  }
}
