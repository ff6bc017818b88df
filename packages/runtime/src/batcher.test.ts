import { describe, expect, it } from '@jest/globals';
import { createBatcher } from './batcher.ts';

/** A flush that records its batches and is answered by hand. */
function heldFlush() {
  const batches: number[][] = [];
  const releases: (() => void)[] = [];
  const flush = (items: number[]): Promise<number[]> => {
    batches.push(items);
    return new Promise((resolve) => releases.push(() => resolve(items.map((item) => item * 10))));
  };
  return { batches, releases, flush };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a batcher', () => {
  it('writes what arrives in one turn together and gives each caller its own answer', async () => {
    const batches: number[][] = [];
    const flush = (items: number[]): Promise<number[]> => {
      batches.push(items);
      return Promise.resolve(items.map((item) => item * 10));
    };
    const call = createBatcher({ flush, maxSize: 10, concurrency: 1 });
    expect(await Promise.all([call(1), call(2), call(3)])).toEqual([10, 20, 30]);
    expect(batches).toEqual([[1, 2, 3]]);
  });

  it('gathers while as many batches as allowed are in progress', async () => {
    const { batches, releases, flush } = heldFlush();
    const call = createBatcher({ flush, maxSize: 10, concurrency: 1 });
    const first = call(1);
    await turn();
    const later = [call(2), call(3)];
    await turn();
    expect(batches).toEqual([[1]]);
    releases[0]?.();
    expect(await first).toBe(10);
    await turn();
    expect(batches).toEqual([[1], [2, 3]]);
    releases[1]?.();
    expect(await Promise.all(later)).toEqual([20, 30]);
  });

  it('never writes more than its size at once', async () => {
    const batches: number[][] = [];
    const flush = (items: number[]): Promise<number[]> => {
      batches.push(items);
      return Promise.resolve(items);
    };
    const call = createBatcher({ flush, maxSize: 2, concurrency: 1 });
    await Promise.all([1, 2, 3, 4, 5].map(call));
    expect(batches).toEqual([[1, 2], [3, 4], [5]]);
  });

  it('that gathers waits for more items, but not once a batch is full', async () => {
    const { batches, releases, flush } = heldFlush();
    const call = createBatcher({ flush, maxSize: 2, concurrency: 1, gatherMs: 5 });
    const first = call(1);
    await turn();
    expect(batches).toEqual([]);
    const second = call(2);
    await turn();
    expect(batches).toEqual([[1, 2]]);
    releases[0]?.();
    expect(await Promise.all([first, second])).toEqual([10, 20]);
    const third = call(3);
    while (batches.length < 2) await turn();
    releases[1]?.();
    expect(await third).toBe(30);
  });

  it('rejects every caller of a batch that failed, and continues', async () => {
    let isBroken = true;
    const flush = (items: number[]): Promise<number[]> =>
      isBroken ? Promise.reject(new Error('down')) : Promise.resolve(items);
    const call = createBatcher({ flush, maxSize: 10, concurrency: 1 });
    await expect(Promise.all([call(1), call(2)])).rejects.toThrow('down');
    isBroken = false;
    expect(await call(3)).toBe(3);
  });

  it('rejects every caller of a batch with too few results', async () => {
    const call = createBatcher<number, number>({ flush: () => Promise.resolve([1]), maxSize: 10, concurrency: 1 });
    await expect(Promise.all([call(1), call(2)])).rejects.toThrow('a batch of 2 got 1 results');
    // Neither is left waiting.
    expect((await Promise.allSettled([call(1), call(2)])).map(({ status }) => status)).toEqual([
      'rejected',
      'rejected',
    ]);
  });
});
