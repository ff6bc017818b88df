import { NodeError } from '@deckhand/engine';
import { nextSlice } from '@deckhand/runtime';

/** Units of the first slice, which runs at once. A unit is about 0.1 µs: an item, or 16 characters. */
const FIRST_SLICE_UNITS = 50_000;
/** Units of every further slice: about 10 ms. */
const SLICE_UNITS = 100_000;
/** Maximum number of units of one attempt of a node: about 10 s. */
const MAX_UNITS = 100_000_000;

/** Counts the work of one attempt of a node. */
export interface Work {
  /**
   * Charges work, before or after it is done. @returns whether the slice is used up: then the steps yield before they
   * continue. @throws NodeError NODE_BUDGET when the attempt has used its whole budget.
   */
  spend(units: number): boolean;
}

/** Work in steps: other work may run at each `yield`. */
export type Steps<T> = Generator<undefined, T, undefined>;

/**
 * Does work that may be long without blocking the event loop: small work at once, and the rest in slices, between which
 * other work runs. Slices of all nodes alternate. @throws NodeError NODE_BUDGET, or the signal's reason between two
 * slices.
 */
export function runInSlices<T>(signal: () => AbortSignal, begin: (work: Work) => Steps<T>): T | Promise<T> {
  let left = FIRST_SLICE_UNITS;
  let total = MAX_UNITS;
  const steps = begin({
    spend(units) {
      left -= units;
      total -= units;
      if (!(total >= 0)) throw new NodeError('NODE_BUDGET', 'the node takes too many steps', { isRetryable: false });
      return left <= 0;
    },
  });
  const first = steps.next();
  if (first.done === true) return first.value;
  return (async () => {
    for (;;) {
      await nextSlice(signal());
      left = SLICE_UNITS;
      const step = steps.next();
      if (step.done === true) return step.value;
    }
  })();
}
