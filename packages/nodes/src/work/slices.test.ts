import { describe, expect, it } from '@jest/globals';
import { runInSlices, type Steps, type Work } from './slices.ts';

const never = new AbortController().signal;

/** Work of `items` items of 1,000 units. */
const count = (items: number) =>
  function* (work: Work): Steps<number> {
    for (let item = 0; item < items; item += 1) if (work.spend(1_000)) yield;
    return items;
  };

describe('work in slices', () => {
  it('is done at once when it is small', () => {
    expect(runInSlices(() => never, count(49))).toBe(49);
  });

  it('lets the event loop go round between slices, also when many work at once', async () => {
    let rounds = 0;
    let isDone = false;
    const goRound = (): void => {
      rounds += 1;
      if (!isDone) setImmediate(goRound);
    };
    setImmediate(goRound);
    const done = Promise.all([1, 2, 3].map(async () => runInSlices(() => never, count(1_000))));
    expect(await done).toEqual([1_000, 1_000, 1_000]);
    isDone = true;
    // 1,000,000 units each: a slice of 50,000, and ten of 100,000, one a round.
    expect(rounds).toBeGreaterThanOrEqual(3 * 9);
  });

  it('ends when it is aborted', async () => {
    const abort = new AbortController();
    let done = 0;
    const endless = function* (work: Work): Steps<never> {
      for (;;) {
        done += 1;
        if (work.spend(1_000)) yield;
      }
    };
    const running = runInSlices(() => abort.signal, endless);
    abort.abort(new Error('stopped'));
    await expect(running).rejects.toThrow('stopped');
    expect(done).toBe(50);
  });

  it('fails when it takes too much in all', async () => {
    const running = runInSlices(() => never, count(100_001));
    await expect(running).rejects.toMatchObject({ code: 'NODE_BUDGET', isRetryable: false });
  });
});
