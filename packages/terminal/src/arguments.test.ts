import { describe, expect, it } from '@jest/globals';
import { oneOfEach, timeLimit, timeSpan } from './arguments.ts';

describe('of an argument', () => {
  it('a time limit is one that a timer can have', () => {
    expect(timeLimit('2147483')).toBe(2_147_483);
    for (const text of ['2147484', '0', '1.5']) expect(() => timeLimit(text)).toThrow(/^It must be/);
  });

  it('a time span has a number and a unit', () => {
    expect(['90s', '30m', '12h', '7d'].map(timeSpan)).toEqual([90_000, 1_800_000, 43_200_000, 604_800_000]);
    for (const text of ['30', '1.5h', '-1s', '1w', '']) expect(() => timeSpan(text)).toThrow(/^It must be/);
  });

  it('a value is one of those that are known, and is added to the ones before', () => {
    const parse = oneOfEach(['red', 'green']);
    expect(parse('green', parse('red'))).toEqual(['red', 'green']);
    expect(() => parse('blue')).toThrow('It must be one of red, green.');
  });
});
