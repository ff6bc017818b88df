import { expect, it } from '@jest/globals';
import { stubReason, stubSource } from './stub-script.ts';

it.each(['is not converted', 'quotes "names", \\ and\nlines', ''])('reads the reason of a stub: %j', (message) => {
  const source = stubSource('{\n  "a": "throw new Error(\\"b\\");\u2028"\n}', message);
  expect(stubReason({ type: 'code', parameters: { source } })).toBe(message);
  expect(
    source
      .split('\n')
      .slice(0, -1)
      .every((line) => line.startsWith('// ')),
  ).toBe(true);
});

it.each([
  { type: 'set', parameters: { source: stubSource('', 'a') } },
  { type: 'code' },
  { type: 'code', parameters: { source: 1 } },
  { type: 'code', parameters: { source: 'throw new Error("a");' } },
  { type: 'code', parameters: { source: `${stubSource('', 'a')}\nreturn {};` } },
  { type: 'code', parameters: { source: stubSource('', 'a').replace('throw', 'return 1; // throw') } },
  { type: 'code', parameters: { source: stubSource('', 'a').replace('"a"', '"a" + "b"') } },
])('takes no other node for a stub: %j', (node) => {
  expect(stubReason(node)).toBeUndefined();
});
