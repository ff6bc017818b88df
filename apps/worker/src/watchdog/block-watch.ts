/**
 * Samples that must agree before a run is said to occupy the event loop: one alone may have met the run that came after
 * it.
 */
const MIN_SAMPLES = 2;

/** Finds out whether another thread's event loop answers, and which run occupies it. */
export interface BlockWatch {
  /**
   * Takes a reading of the event loop's ticks. @param now any steady clock, in ms.
   * @returns for how long it has not answered, in ms; 0 while it does.
   */
  check(ticks: number, now: number): number;
  /** Takes a sample of which run's code the blocked event loop runs; null for none. */
  sampled(executionId: string | null): void;
  /**
   * The run that occupies the event loop; null where samples do not say so or disagree. A wrong one would blame a
   * neighbour.
   */
  occupant(): string | null;
}

/** @param checkMs the interval of readings. A reader that stood still itself counts little of that time. */
export function createBlockWatch(checkMs: number): BlockWatch {
  let seen: number | undefined;
  let lastCheckAt = -Infinity;
  let blockedMs = 0;
  let samples: (string | null)[] = [];
  return {
    check(ticks, now) {
      if (ticks === seen) {
        blockedMs += Math.min(now - lastCheckAt, 2 * checkMs);
      } else {
        seen = ticks;
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
