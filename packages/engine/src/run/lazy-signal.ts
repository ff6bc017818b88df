/**
 * A signal that is made when it is first asked for: making one costs more than a pure node, and none of these asks. A
 * function, for objects with a getter each of their own share no hidden class: making one takes V8 ten times as long.
 */
export type LazySignal = () => AbortSignal;

/** @param make is called once at most; it may give a signal that has aborted already. */
export function lazySignal(make: () => AbortSignal): LazySignal {
  let made: AbortSignal | undefined;
  return () => (made ??= make());
}
