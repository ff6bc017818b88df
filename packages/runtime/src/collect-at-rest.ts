import { Session } from 'node:inspector/promises';
import type { Logger } from './logger.js';

/** Interval of checks whether the process is idle, in ms. */
const INTERVAL_MS = 5_000;
/** Minimum growth of the heap, in bytes, that is worth a collection of about 0.1 s. */
const WORTH_BYTES = 16 * 2 ** 20;

/**
 * Makes an idle process release the memory that its start or its last load took. V8 collects only when something is
 * allocated, which an idle process hardly does: the space for new objects alone would stay at 32 MB.
 * @param options.workSoFar counts the work of the process. It is idle while the count is the same in two checks.
 * @param options.intervalMs interval of the checks in ms, 5 s by default.
 * @returns a function that stops the checks. They do not keep the process alive.
 */
export function collectAtRest(options: { logger: Logger; workSoFar: () => number; intervalMs?: number }): {
  stop: () => void;
} {
  const { logger, workSoFar, intervalMs = INTERVAL_MS } = options;
  let seen = workSoFar();
  let collectedBytes = 0;

  const look = async (): Promise<void> => {
    const before = seen;
    seen = workSoFar();
    if (seen !== before || process.memoryUsage().heapTotal < collectedBytes + WORTH_BYTES) return;
    await collectGarbage();
    collectedBytes = process.memoryUsage().heapTotal;
    logger.debug({ heapBytes: collectedBytes }, 'garbage collected while idle');
  };
  const timer = setInterval(() => {
    look().catch((err: unknown) => logger.warn({ err }, 'garbage collection failed'));
  }, intervalMs);
  timer.unref();
  return { stop: () => clearInterval(timer) };
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
