import { describe, expect, it } from '@jest/globals';
import { createTimeBudget } from './time-budget.js';

describe('a time budget', () => {
  it('grows while rows are left, up to its maximum, and starts again after they are done', () => {
    const budget = createTimeBudget(100, 400);
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
    expect(after(false)).toBe(100);
  });
});
