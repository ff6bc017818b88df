/** A signal that is made when it is first read: making one costs more than a pure node, and none of these reads any. */
export interface LazySignal {
  readonly signal: AbortSignal;
}

/** @param make is called once at most; it may give a signal that has aborted already. */
export function lazySignal(make: () => AbortSignal): LazySignal {
  let made: AbortSignal | undefined;
  return {
    get signal() {
      return (made ??= make());
    },
  };
}
