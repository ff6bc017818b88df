/**
 * Returns a signal that is created on first use: creating one costs more than a pure node, and none of these uses it.
 * This is a function and not a getter, because objects with their own getters share no hidden class, and creating one
 * takes V8 ten times as long.
 */
export type LazySignal = () => AbortSignal;

/**
 * Returns a signal that `make` creates on first use. @param make is called at most once; it may return an aborted
 * signal.
 */
export function lazySignal(make: () => AbortSignal): LazySignal {
  let made: AbortSignal | undefined;
  return () => (made ??= make());
}
