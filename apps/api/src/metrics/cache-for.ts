import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Caches an expensive read for `maxAgeMs`, and waits for it no longer than `timeoutMs`.
 * @returns a function that resolves with the value, or with undefined if the read failed or took too long.
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
