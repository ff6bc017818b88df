/** The time that the passes of a task may take: more while a backlog remains, so that it ends. */
export interface TimeBudget {
  /** Returns the budget of the next pass, in ms. */
  readonly ms: () => number;
  /** Notes whether a pass has left rows because its budget was used up. */
  passed(hasLeftRows: boolean): void;
}

/** By how much the budget grows with each pass that leaves rows; slowly, so that a burst of runs has the time first. */
const GROWTH = 1.1;

/** Creates a budget that grows from `minMs` to `maxMs` while passes leave rows, and is `minMs` after any other. */
export function createTimeBudget(minMs: number, maxMs: number): TimeBudget {
  let ms = minMs;
  return {
    ms: () => ms,
    passed(hasLeftRows) {
      ms = hasLeftRows ? Math.min(ms * GROWTH, maxMs) : minMs;
    },
  };
}
