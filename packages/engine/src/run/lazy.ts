/**
 * Returns a function whose value `make` creates on its first call; `make` is called at most once. For abort signals:
 * creating one costs more than a pure node, and most runs use none. This is a function and not a getter, because
 * objects with their own getters share no hidden class, and creating one takes V8 ten times as long.
 */
export function lazy<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

/** A signal that is created on first use. */
export type LazySignal = () => AbortSignal;
