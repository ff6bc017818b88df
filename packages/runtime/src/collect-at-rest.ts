import { Session } from 'node:inspector/promises';
import type { Logger } from './logger.js';

/** How often it is looked whether the process rests, in ms. */
const LOOK_MS = 5_000;
/** A heap that grew by less is not worth the tenth of a second that collecting takes, in bytes. */
const WORTH_BYTES = 16 * 2 ** 20;

/**
 * Has a process that rests give back the memory that its start or its last load took. V8 by itself collects when
 * something is allocated, which a process at rest hardly does: the space for new objects alone would stay at 32 MB.
 * @param options.workSoFar counts what the process has done: it rests while that stays the same from one look to the
 * next.
 * @param options.lookMs how often to look, in ms; 5 s by default.
 * @returns what ends it; it keeps no process alive.
 */
export function collectAtRest(options: { logger: Logger; workSoFar: () => number; lookMs?: number }): {
  stop: () => void;
} {
  const { logger, workSoFar, lookMs = LOOK_MS } = options;
  let seen = workSoFar();
  let collectedBytes = 0;

  const look = async (): Promise<void> => {
    const before = seen;
    seen = workSoFar();
    if (seen !== before || process.memoryUsage().heapTotal < collectedBytes + WORTH_BYTES) return;
    await collectGarbage();
    collectedBytes = process.memoryUsage().heapTotal;
    logger.debug({ heapBytes: collectedBytes }, 'collected garbage at rest');
  };
  const timer = setInterval(() => {
    look().catch((err: unknown) => logger.warn({ err }, 'garbage could not be collected'));
  }, lookMs);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}

/** Collects whatever can be collected, and gives the pages back: `gc()` of V8's own does the former only. */
async function collectGarbage(): Promise<void> {
  const session = new Session();
  session.connect();
  try {
    await session.post('HeapProfiler.collectGarbage');
  } finally {
    session.disconnect();
  }
}
