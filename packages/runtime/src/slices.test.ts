import { describe, expect, it } from '@jest/globals';
import { runInTimeSlices, TooMuchWorkError } from './slices.ts';

/** Work that takes some ms. */
function* work(ms: number): Generator<undefined, { done: true }> {
  const end = performance.now() + ms;
  while (performance.now() < end) yield;
  return { done: true };
}

describe('work in slices of time', () => {
  it('alternates with other work, one slice in a round', async () => {
    let [rounds, isDone] = [0, false];
    const goRound = (): void => {
      rounds += 1;
      if (!isDone) setImmediate(goRound);
    };
    setImmediate(goRound);
    expect(await Promise.all([1, 2, 3].map(() => runInTimeSlices(work(100))))).toHaveLength(3);
    isDone = true;
    expect(rounds).toBeGreaterThan(3);
  });

  it('is given up when it is too much', async () => {
    await expect(runInTimeSlices(work(60_000), 20)).rejects.toThrow(TooMuchWorkError);
    expect(await runInTimeSlices(work(1), 1_000)).toEqual({ done: true });
  });
});
