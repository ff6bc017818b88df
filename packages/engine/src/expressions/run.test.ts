import { describe, expect, it } from '@jest/globals';
import { settle } from './run.ts';

describe('a result', () => {
  it('may be made of one value for each 16 bytes that it may have, however small they are', () => {
    const nulls = (count: number) => Array.from({ length: count }, () => null);
    // The list itself is one value.
    expect(settle(nulls(99), 1_600).bytes).toBeLessThan(600);
    expect(() => settle(nulls(100), 1_600)).toThrow('the result is too large');
  });

  it('counts what it shares as often as it is there', () => {
    const shared = [['x'.repeat(100)]];
    expect(() => settle([shared, shared], 200)).toThrow('the result is too large');
    expect(settle([shared], 200).bytes).toBeGreaterThanOrEqual(100);
  });
});
