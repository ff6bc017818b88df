import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Reads something expensive at most once every `maxAgeMs`, however many ask, and waits no longer than `timeoutMs` for
 * it.
 * @returns a function that resolves with what was read last, or with undefined when the read failed or took too long.
 */
export function cacheFor<T>(
  read: () => Promise<T>,
  { maxAgeMs, timeoutMs }: { maxAgeMs: number; timeoutMs: number },
): () => Promise<T | undefined> {
  let last: Promise<T | undefined> | undefined;
  let readAt = 0;
  return () => {
    if (last === undefined || performance.now() - readAt >= maxAgeMs) {
      readAt = performance.now();
      last = Promise.race([read().catch(() => undefined), sleep(timeoutMs, undefined, { ref: false })]);
    }
    return last;
  };
}
