import { describe, expect, it } from '@jest/globals';
import { nextLink } from './next-link.ts';

describe('the next page in a Link header', () => {
  it.each<[string, string | undefined]>([
    ['<https://a.example/?page=2>; rel="next"', 'https://a.example/?page=2'],
    ['</list?page=2>;rel=next', '/list?page=2'],
    ['<a>; rel="prev", <b>; rel="next", <c>; rel="last"', 'b'],
    ['<a>; title="x, <y>; rel=next"; rel=prev, <b>; REL="Last NEXT"', 'b'],
    ['<a,b;c>; rel=next', 'a,b;c'],
    ['<a>; rel=prev; rel=next', undefined],
    ['<a>', undefined],
    ['<a; rel=next', undefined],
    ['rel=next', undefined],
    ['', undefined],
  ])('of %j is %j', (header, target) => {
    expect(nextLink(header)).toBe(target);
  });

  it('is looked for in time proportional to the header', () => {
    const startedAt = performance.now();
    expect(nextLink('<a>; title="'.repeat(100_000))).toBeUndefined();
    expect(nextLink('<'.repeat(1_000_000))).toBeUndefined();
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });
});
