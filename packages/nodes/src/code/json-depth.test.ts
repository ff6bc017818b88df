import { expect, it } from '@jest/globals';
import { jsonDepth } from './json-depth.ts';

it.each([
  ['1', 0],
  ['[]', 1],
  ['[[],{"a":[{}]}]', 4],
  ['["[[[[", "\\"[[", "\\\\", [1]]', 2],
  [`${'['.repeat(100_000)}${']'.repeat(100_000)}`, 100_000],
])('the depth of JSON is that of its lists and objects', (text, depth) => {
  expect(jsonDepth(text)).toBe(depth);
});
