/**
 * Waits for work, but no longer than until the signal aborts: undici hears a signal only once a request has its
 * connection, and neither the resolver nor a decompressor hears it at all. What becomes of the work then is not looked
 * at.
 * @throws the signal's reason, or what the work throws.
 */
export async function untilAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  return new Promise<T>((resolve, reject) => {
    signal.addEventListener('abort', reject, { once: true });
    work()
      .then(resolve, reject)
      .finally(() => {
        signal.removeEventListener('abort', reject);
      });
  }).catch((error: unknown) => {
    signal.throwIfAborted();
    throw error;
  });
}
