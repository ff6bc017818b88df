/** Times further away than this, in ms, are left to the periodic tasks. */
const HORIZON_MS = 60_000;

/** Calls a function at each of the times to which it was set. */
export interface Alarm {
  /** Adds a time, in ms since the epoch. A time more than a minute away is ignored. */
  set(time: number): void;
  close(): void;
}

/**
 * Creates an alarm, so that work that is due soon is done on time and not in the next pass of a task.
 * @param onDue called when a time has come.
 * @param clock returns the database's time, in ms since the epoch.
 */
export function createAlarm(onDue: () => void, clock: () => number): Alarm {
  let timer: NodeJS.Timeout | undefined;
  let times: number[] = [];

  function arm(): void {
    clearTimeout(timer);
    if (times.length === 0) return;
    // The upper bound matters if the clock was set back meanwhile.
    const waitMs = Math.min(Math.max(Math.min(...times) - clock(), 0), HORIZON_MS);
    timer = setTimeout(fire, waitMs);
  }

  function fire(): void {
    const now = clock();
    const isDue = times.some((time) => time <= now);
    times = times.filter((time) => time > now);
    if (isDue) onDue();
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
