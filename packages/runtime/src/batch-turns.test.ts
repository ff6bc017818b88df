import { describe, expect, it } from '@jest/globals';
import { createBatchTurns } from './batch-turns.js';

const ignore = () => undefined;

describe('turns of batches', () => {
  it('are free while nothing is under way', () => {
    const turns = createBatchTurns({ concurrency: 2, onFree: ignore });
    expect(turns.isFree(false)).toBe(true);
    turns.begin();
    turns.end();
    expect(turns.isFree(false)).toBe(true);
  });

  it('let the next batch gather while one is under way, and tell when it has ended', () => {
    let told = 0;
    const turns = createBatchTurns({ concurrency: 2, onFree: () => (told += 1) });
    turns.begin();
    expect(turns.isFree(false)).toBe(false);
    turns.end();
    expect(told).toBe(1);
    expect(turns.underWay).toBe(0);
  });

  it('let a full batch begin beside another one, and never more than allowed', () => {
    const turns = createBatchTurns({ concurrency: 2, onFree: ignore });
    turns.begin();
    expect(turns.isFree(true)).toBe(true);
    turns.begin();
    expect(turns.isFree(true)).toBe(false);
  });

  it('wait only so long for one that takes its time', async () => {
    const turns = await new Promise<ReturnType<typeof createBatchTurns>>((resolve) => {
      const waiting = createBatchTurns({ concurrency: 2, onFree: () => resolve(waiting) });
      waiting.begin();
      expect(waiting.isFree(false)).toBe(false);
    });
    expect(turns.underWay).toBe(1);
    expect(turns.isFree(false)).toBe(true);
  });
});
