/**
 * Number of samples that must agree before a run counts as occupying the event loop: a single one may have hit the run
 * that came next.
 */
const MIN_SAMPLES = 2;

/** Detects whether another thread's event loop is blocked, and which run occupies it. */
export interface BlockWatch {
  /**
   * Notes the number of ticks of the event loop.
   * @param now time of a steady clock, in ms.
   * @returns for how long the event loop has been blocked, in ms; 0 if it is not.
   */
  check(ticks: number, now: number): number;
  /** Notes a sample: the run whose code the blocked event loop runs; null for none. */
  sampled(executionId: string | null): void;
  /**
   * Returns the run that occupies the event loop; null if there are too few samples or they disagree, because a wrong
   * one would blame another run.
   */
  occupant(): string | null;
}

/**
 * Creates the watch.
 * @param checkMs the interval of checks. A longer gap, in which the caller itself stood still, counts as two at most.
 */
export function createBlockWatch(checkMs: number): BlockWatch {
  let lastTicks: number | undefined;
  let lastCheckAt = -Infinity;
  let blockedMs = 0;
  let samples: (string | null)[] = [];
  return {
    check(ticks, now) {
      if (ticks === lastTicks) {
        blockedMs += Math.min(now - lastCheckAt, 2 * checkMs);
      } else {
        lastTicks = ticks;
        blockedMs = 0;
        samples = [];
      }
      lastCheckAt = now;
      return blockedMs;
    },
    sampled(executionId) {
      samples.push(executionId);
    },
    occupant() {
      const [first = null] = samples;
      return samples.length >= MIN_SAMPLES && samples.every((sample) => sample === first) ? first : null;
    },
  };
}
