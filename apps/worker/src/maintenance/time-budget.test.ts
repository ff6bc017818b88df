import { describe, expect, it } from '@jest/globals';
import { createTimeBudget } from './time-budget.ts';

describe('a time budget', () => {
  it('grows while rows are left, up to its maximum, and shrinks after they are done', () => {
    const budget = createTimeBudget({ minMs: 100, maxMs: 400, isIdle: () => false });
    const after = (hasLeftRows: boolean): number => {
      budget.passed(hasLeftRows);
      return budget.ms();
    };
    expect(budget.ms()).toBe(100);
    expect(after(false)).toBe(100);
    const grown = Array.from({ length: 20 }, () => after(true));
    expect(grown).toEqual([...grown].sort((a, b) => a - b));
    expect(grown[0]).toBeGreaterThan(100);
    expect(grown.at(-1)).toBe(400);
    const shrunk = Array.from({ length: 20 }, () => after(false));
    expect(shrunk[0]).toBeLessThan(400);
    expect(shrunk[0]).toBeGreaterThan(300);
    expect(shrunk.at(-1)).toBe(100);
  });

  it('is all of the time while nothing else needs it', () => {
    let isIdle = false;
    const budget = createTimeBudget({ minMs: 100, maxMs: 400, isIdle: () => isIdle });
    isIdle = true;
    expect(budget.ms()).toBe(400);
    isIdle = false;
    expect(budget.ms()).toBe(100);
  });
});
