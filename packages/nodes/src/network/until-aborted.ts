/**
 * Waits for work, but not after the signal aborts: undici observes a signal only once a request has its connection, and
 * neither the resolver nor a decompressor does. The result of the work is then ignored.
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
