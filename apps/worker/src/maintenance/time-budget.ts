/** The time that the passes of a task may take: more while a backlog remains, so that it ends or stays the same. */
export interface TimeBudget {
  /** Returns the budget of the next pass, in ms. */
  readonly ms: () => number;
  /** Notes whether a pass has left rows because its budget was used up. */
  passed(hasLeftRows: boolean): void;
}

/**
 * By how much the budget grows with each pass that leaves rows, and shrinks with any other; slowly, so that a burst of
 * runs has the time first, and a steady load finds the budget that it needs.
 */
const GROWTH = 1.1;

/** The limits of a budget. */
export interface TimeBudgetOptions {
  readonly minMs: number;
  readonly maxMs: number;
  /** Returns whether nothing else needs the time: the budget is `maxMs` then. */
  readonly isIdle: () => boolean;
}

/** Creates a budget that grows from `minMs` to `maxMs` while passes leave rows, and shrinks again after others. */
export function createTimeBudget({ minMs, maxMs, isIdle }: TimeBudgetOptions): TimeBudget {
  let ms = minMs;
  return {
    ms: () => (isIdle() ? maxMs : ms),
    passed(hasLeftRows) {
      ms = hasLeftRows ? Math.min(ms * GROWTH, maxMs) : Math.max(ms / GROWTH, minMs);
    },
  };
}
