/**
 * Estimates the database's time from this process's steady clock, because its wall clock may be wrong by any amount.
 */
export interface DatabaseClock {
  /**
   * Returns the time in whole ms since the epoch: never ahead of the database, and behind it by a round trip at most.
   * It goes back only if the database's time was set back by 1 s or more.
   */
  readonly now: () => number;
  /** Returns how far this process's wall clock is ahead of the database, in ms; negative if it is behind. */
  readonly offsetMs: () => number;
  /** Reads the database's time. @throws the error of the query. */
  measure(): Promise<void>;
}

/** A response that took longer, in ms, is ignored: it is too imprecise. */
const MAX_ROUND_TRIP_MS = 1_000;
/** Steps back of less than this, in ms, are measurement errors: the clock stands still until it has caught up. */
const MAX_JITTER_MS = 1_000;

/**
 * Creates the clock. Until the first `measure`, it returns the wall clock.
 * @param readTime reads the database's time, in ms since the epoch.
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
      const sentAt = performance.now();
      const time = await readTime();
      const receivedAt = performance.now();
      if (isMeasured && receivedAt - sentAt > MAX_ROUND_TRIP_MS) return;
      // The database read its clock before the response arrived, so this clock is never ahead.
      aheadMs = time - receivedAt;
      if (!isMeasured) last = -Infinity;
      isMeasured = true;
    },
  };
}
