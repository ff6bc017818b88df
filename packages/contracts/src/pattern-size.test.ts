import { describe, expect, it } from '@jest/globals';
import { estimatePatternSize, mayRescan } from './pattern-size.ts';

describe('the estimated size of a pattern', () => {
  it.each([
    ['', 0],
    ['abc', 3],
    ['[a-z]', 1],
    [String.raw`\d\.`, 2],
    [String.raw`\p{Letter}`, 1],
    ['a{50}', 50],
    ['ab{2,70}', 71],
    ['a{0}', 1],
    ['a{3,}', 3],
    ['a{9999}', 1_000],
    ['(ab)', 4],
    ['(ab){20}', 80],
    ['(?:ab{50}){20}', 1_100],
    ['((a{10}){10}){10}', 1_220],
    ['(a{100}', 100],
    ['a)b', 4],
    ['[{5}]', 1],
    [String.raw`a\{5}`, 4],
  ])('of %s is %d', (pattern, size) => expect(estimatePatternSize(pattern)).toBe(size));
});

describe('a pattern may read the same text again', () => {
  it.each(['a.*b|a', '(a+)*', 'x{2,}|y', '(a)?b*'])('where an alternative is unbounded: %s', (pattern) =>
    expect(mayRescan(pattern)).toBe(true),
  );

  it.each(['abc', 'a*b', 'a|b', '(a)b*', 'a{2,3}|b', String.raw`a\*|b`, '[*|]+', '[*]|a'])(
    'and not where none is: %s',
    (pattern) => expect(mayRescan(pattern)).toBe(false),
  );
});
