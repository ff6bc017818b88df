/** Times further away are left to the periodic tasks, in ms. */
const HORIZON_MS = 60_000;

/** Rings at the earliest of the times it was set to. */
export interface Alarm {
  /** @param time ms since the epoch; one far away is not remembered. */
  set(time: number): void;
  close(): void;
}

/**
 * Creates an alarm, so that what is due soon happens on time and not with the next pass of a task.
 * @param clock the database's time, in ms since the epoch.
 */
export function createAlarm(ring: () => void, clock: () => number): Alarm {
  let timer: NodeJS.Timeout | undefined;
  let times: number[] = [];

  function arm(): void {
    clearTimeout(timer);
    if (times.length === 0) return;
    // Bounded also for a clock that was set back since.
    const waitMs = Math.min(Math.max(Math.min(...times) - clock(), 0), HORIZON_MS);
    timer = setTimeout(sound, waitMs);
  }

  function sound(): void {
    const now = clock();
    const isDue = times.some((time) => time <= now);
    times = times.filter((time) => time > now);
    if (isDue) ring();
    arm();
  }

  return {
    set(time) {
      if (time - clock() > HORIZON_MS || times.includes(time)) return;
      times.push(time);
      arm();
    },
    close() {
      clearTimeout(timer);
      times = [];
    },
  };
}
