import { expect, it } from '@jest/globals';
import { pathTo } from './lodash.ts';

it.each([
  ['a.b', '?.["a"]?.["b"]'],
  ['a[0].b[-1]', '?.["a"]?.["0"]?.["b"]?.["-1"]'],
  [`a["b.c"]['d[e]']["f'g"]`, `?.["a"]?.["b.c"]?.["d[e]"]?.["f'g"]`],
  // A text in brackets ends at its first quote, so that nothing is searched for an end again and again.
  ['["a"b"]', '?.["\\"a\\"b\\""]'],
  ['["['.repeat(20_000), '?.["\\""]'.repeat(20_000)],
])('finds the way to the field %.30s', (field, path) => {
  expect(pathTo(field)).toBe(path);
});
