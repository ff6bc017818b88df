import { DeckhandError } from '@deckhand/contracts';

/** How often access is checked, in ms: a response that is held ends within a second of a revocation. */
const CHECK_INTERVAL_MS = 400;

/**
 * Does something that takes long for a caller, and checks meanwhile whether the caller still has access.
 * @param check throws a DeckhandError once the caller has none. Other errors are ignored: the next check may succeed.
 * @param work stops early when its signal aborts.
 * @throws the error of `check`.
 */
export async function whileAllowed<T>(
  { check, signal }: { readonly check: () => Promise<unknown>; readonly signal: AbortSignal },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const lost = new AbortController();
  let isChecking = false;
  const timer = setInterval(() => {
    if (isChecking) return;
    isChecking = true;
    check()
      .catch((error: unknown) => {
        if (error instanceof DeckhandError && error.status < 500) lost.abort(error);
      })
      .finally(() => (isChecking = false));
  }, CHECK_INTERVAL_MS);
  try {
    const result = await work(AbortSignal.any([signal, lost.signal]));
    lost.signal.throwIfAborted();
    return result;
  } finally {
    clearInterval(timer);
  }
}
