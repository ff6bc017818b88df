/** The database's time, told by this process's steady clock: its wall clock may be wrong by any amount. */
export interface DatabaseClock {
  /**
   * Now, in whole ms since the epoch: never ahead of the database, behind it by a round trip at most. Does not go back
   * by less than 1 s.
   */
  readonly now: () => number;
  /** How far this process's wall clock is ahead of the database, in ms; negative when it is behind. */
  readonly offsetMs: () => number;
  /** Asks the database. @throws when it does not answer. */
  measure(): Promise<void>;
}

/** An answer that took longer says too little, in ms. */
const MAX_ROUND_TRIP_MS = 1_000;
/** Less than this is what measurements differ by, in ms: time stands still until it has caught up. */
const MAX_JITTER_MS = 1_000;

/**
 * Creates the clock, which is the wall clock until it was measured.
 * @param readTime asks the database for its time, in ms since the epoch.
 */
export function createDatabaseClock(readTime: () => Promise<number>): DatabaseClock {
  let aheadMs = Date.now() - performance.now();
  let isMeasured = false;
  let last = -Infinity;

  function now(): number {
    const time = Math.floor(performance.now() + aheadMs);
    if (time < last && last - time < MAX_JITTER_MS) return last;
    last = time;
    return time;
  }

  return {
    now,
    offsetMs: () => Date.now() - now(),
    async measure() {
      const askedAt = performance.now();
      const time = await readTime();
      const answeredAt = performance.now();
      if (isMeasured && answeredAt - askedAt > MAX_ROUND_TRIP_MS) return;
      // The database said so before the answer arrived: reckoned from the arrival, this clock is never ahead.
      aheadMs = time - answeredAt;
      if (!isMeasured) last = -Infinity;
      isMeasured = true;
    },
  };
}
