import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createWaitTimer } from './wait-timer.ts';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

/** Creates a timer over a fake database. `failures`: errors of the next attempts. */
function createWaits() {
  let due: number[] = [];
  const endings: number[] = [];
  const errors: unknown[] = [];
  const failures: Error[] = [];
  const timer = createWaitTimer({
    async endDue() {
      await Promise.resolve();
      const failure = failures.shift();
      if (failure) throw failure;
      const now = performance.now();
      endings.push(...due.filter((at) => at <= now).map(() => Math.round(now)));
      due = due.filter((at) => at > now);
      return due.length === 0 ? null : Math.min(...due) - now;
    },
    onError: (error) => errors.push(error),
  });
  return {
    timer,
    endings,
    errors,
    failures,
    /** Adds a wait that the run believes to be due in `believedMs`. */
    begin(ms: number, believedMs = ms) {
      due.push(performance.now() + ms);
      timer.expect(believedMs);
    },
  };
}

describe('the wait timer of a run', () => {
  it('ends each wait when it is due, in whatever order the waits begin', async () => {
    const { begin, endings } = createWaits();
    const start = Math.round(performance.now());
    begin(30_000);
    begin(10_000);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(endings.map((at) => at - start)).toEqual([10_000, 30_000]);
  });

  it('sleeps again when the database says that no wait is due yet', async () => {
    const { begin, endings } = createWaits();
    const start = Math.round(performance.now());
    begin(10_000, -86_400_000);
    await jest.advanceTimersByTimeAsync(20_000);
    expect(endings.map((at) => at - start)).toEqual([10_000]);
  });

  it('loses no wait that begins while others are being ended', async () => {
    const { begin, endings, timer } = createWaits();
    const start = Math.round(performance.now());
    begin(10_000);
    jest.advanceTimersByTime(10_000);
    // The database is being queried, and this wait is not on disk yet.
    timer.expect(5_000);
    await jest.advanceTimersByTimeAsync(0);
    expect(endings).toHaveLength(1);
    begin(5_000, Infinity);
    await jest.advanceTimersByTimeAsync(5_000);
    expect(endings.map((at) => at - start)).toEqual([10_000, 15_000]);
  });

  it('tries again a second after an error', async () => {
    const { begin, endings, errors, failures } = createWaits();
    failures.push(new Error('away'));
    const start = Math.round(performance.now());
    begin(10_000);
    await jest.advanceTimersByTimeAsync(20_000);
    expect(errors).toHaveLength(1);
    expect(endings.map((at) => at - start)).toEqual([11_000]);
  });

  it('ends waits that are further away than the longest timer of Node.js', async () => {
    const { begin, endings } = createWaits();
    const start = Math.round(performance.now());
    const ms = 40 * 86_400_000;
    begin(ms);
    await jest.advanceTimersByTimeAsync(ms);
    expect(endings.map((at) => at - start)).toEqual([ms]);
  });

  it('stops only after an attempt in progress has ended, and does nothing afterwards', async () => {
    let finish = (): void => undefined;
    let count = 0;
    const timer = createWaitTimer({
      endDue() {
        count += 1;
        return new Promise((resolve) => {
          finish = () => {
            resolve(1);
          };
        });
      },
      onError: () => undefined,
    });
    timer.expect(10);
    jest.advanceTimersByTime(10);
    let isStopped = false;
    const stopped = timer.stop().then(() => (isStopped = true));
    await jest.advanceTimersByTimeAsync(1_000);
    expect({ isStopped, count }).toEqual({ isStopped: false, count: 1 });
    finish();
    await stopped;
    timer.expect(10);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(count).toBe(1);
  });
});
