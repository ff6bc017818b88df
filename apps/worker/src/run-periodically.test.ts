import { createLogger } from '@deckhand/runtime';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type PeriodicTask, runPeriodically, TaskTimeLimitError } from './run-periodically.ts';

const logger = createLogger({ name: 'test', level: 'silent' });
const hangs = (): Promise<void> => new Promise(() => undefined);

beforeEach(() => {
  jest.useFakeTimers({ now: 0 });
});
afterEach(() => {
  jest.useRealTimers();
});

/** Runs a task of an interval of 100 ms and a time limit of 300 ms. */
function start(run: PeriodicTask['run'], isWanted: () => boolean = () => true) {
  const observer = { passed: jest.fn(), failed: jest.fn<(task: string, error: unknown) => void>() };
  const task = { name: 'test', intervalMs: 100, timeLimitMs: 300, isWanted, run };
  return { stop: runPeriodically(task, { logger, observer }), observer };
}

describe('a periodic task', () => {
  it('continues after a pass that failed', async () => {
    let passes = 0;
    const { stop, observer } = start(() => {
      passes += 1;
      return passes === 2 ? Promise.reject(new Error('once')) : Promise.resolve();
    });
    await jest.advanceTimersByTimeAsync(350);
    stop();
    expect(passes).toBe(4);
    expect(observer.passed).toHaveBeenCalledTimes(3);
    expect(observer.failed).toHaveBeenCalledTimes(1);
  });

  it('makes no pass while none is wanted', async () => {
    let isWanted = false;
    let passes = 0;
    const { stop, observer } = start(
      () => {
        passes += 1;
        return Promise.resolve();
      },
      () => isWanted,
    );
    await jest.advanceTimersByTimeAsync(250);
    expect(passes).toBe(0);
    isWanted = true;
    await jest.advanceTimersByTimeAsync(100);
    stop();
    expect(passes).toBe(1);
    expect(observer.passed).toHaveBeenCalledTimes(1);
  });

  it('begins no pass while a slow one is within its time limit', async () => {
    let underWay = 0;
    let most = 0;
    const { stop } = start(async () => {
      underWay += 1;
      most = Math.max(most, underWay);
      await new Promise((resolve) => setTimeout(resolve, 250));
      underWay -= 1;
    });
    await jest.advanceTimersByTimeAsync(2_000);
    stop();
    expect(most).toBe(1);
  });

  it('aborts a pass that hangs, and continues', async () => {
    const signals: AbortSignal[] = [];
    const { stop, observer } = start((signal) => {
      signals.push(signal);
      return signals.length === 1 ? hangs() : Promise.resolve();
    });
    await jest.advanceTimersByTimeAsync(299);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    await jest.advanceTimersByTimeAsync(150);
    stop();
    expect(signals[0]?.aborted).toBe(true);
    expect(signals[0]?.reason).toBeInstanceOf(TaskTimeLimitError);
    expect(signals.length).toBeGreaterThan(1);
    expect(observer.failed.mock.calls[0]?.[1]).toBeInstanceOf(TaskTimeLimitError);
  });

  it('has two passes in progress at most when passes hang, and continues when one of them ends', async () => {
    const ends: (() => void)[] = [];
    const { stop } = start(() => new Promise((resolve) => ends.push(resolve)));
    await jest.advanceTimersByTimeAsync(10_000);
    expect(ends).toHaveLength(2);
    ends[0]?.();
    await jest.advanceTimersByTimeAsync(200);
    stop();
    expect(ends).toHaveLength(3);
  });

  it('makes no further pass after it was stopped, and aborts the one in progress', async () => {
    let passes = 0;
    let seen: AbortSignal | undefined;
    const { stop } = start((signal) => {
      passes += 1;
      seen = signal;
      return hangs();
    });
    await jest.advanceTimersByTimeAsync(10);
    stop();
    await jest.advanceTimersByTimeAsync(5_000);
    expect(passes).toBe(1);
    expect(seen?.aborted).toBe(true);
  });
});
