/**
 * A thread that computes for this part of a short time is busy. Time in which it is ready but does not get a core does
 * not count: on a machine whose cores are used up, another worker would not help.
 */
const BUSY_CPU = 0.85;
const SHORT_MS = 50;
/** An event loop that is in use for this part of a second is busy, whether it computes or waits for a core. */
const BUSY_LOOP = 0.97;
const LONG_MS = 1_000;

/** Creates a function that returns whether this thread has no time for more work. May be called often. */
export function createBusyCheck(now: () => number = () => performance.now()): () => boolean {
  const isComputing = createWindow(now, SHORT_MS, () => {
    let before = process.threadCpuUsage();
    return (elapsedMs) => {
      const { user, system } = process.threadCpuUsage(before);
      before = process.threadCpuUsage();
      return (user + system) / 1_000 / elapsedMs > BUSY_CPU;
    };
  });
  const isLoopUsed = createWindow(now, LONG_MS, () => {
    let before = performance.eventLoopUtilization();
    return () => {
      const present = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(present, before);
      before = present;
      return utilization > BUSY_LOOP;
    };
  });
  return () => {
    // Both are measured each time.
    const computes = isComputing();
    return isLoopUsed() || computes;
  };
}

/** Measures at most once in `windowMs`; in between, the last result counts. */
function createWindow(now: () => number, windowMs: number, start: () => (elapsedMs: number) => boolean): () => boolean {
  const measure = start();
  let measuredAt = now();
  let result = false;
  return () => {
    const elapsedMs = now() - measuredAt;
    if (elapsedMs < windowMs) return result;
    measuredAt += elapsedMs;
    result = measure(elapsedMs);
    return result;
  };
}
