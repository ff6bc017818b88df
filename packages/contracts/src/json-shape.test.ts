import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { findJsonExcess, JSON_SHAPE } from './json-shape.ts';

/** Long enough to be looked at. */
const padded = (text: string): string => text.padEnd(300_000);

const list = (length: number, item: (n: number) => string): string =>
  `[${Array.from({ length }, (_, n) => item(n)).join()}]`;

describe('what JSON may have much of', () => {
  it.each([
    ['objects', list(JSON_SHAPE.objectsMax + 1, () => '{}'), 'has more than 200,000 objects'],
    ['arrays', list(JSON_SHAPE.arraysMax + 1, () => '[]'), 'has more than 1,000,000 arrays'],
    ['names', list(60_000, (n) => `{"a${n}" :1}`), 'has more than 50,000 different names of members'],
    ['escaped names', list(60_000, (n) => `{"\\"${n}\\\\":1}`), 'has more than 50,000 different names of members'],
  ])('is bounded: %s', (_name, text, issue) => {
    expect(findJsonExcess(text)).toBe(issue);
  });

  it.each([
    ['many objects of the same kind', list(JSON_SHAPE.objectsMax, () => '{"a":1,"b":2}')],
    ['many texts', list(300_000, (n) => `"${n}"`)],
    ['brackets within a text', JSON.stringify('{['.repeat(1_100_000))],
    ['names within a text', JSON.stringify(list(60_000, (n) => `{"a${n}":1}`))],
    ['numbers', list(1_000_000, String)],
    ['a text that never ends', `["${'\\"'.repeat(500_000)}`],
    ['quotes without end', '"'.repeat(500_001)],
  ])('is not exceeded by %s', (_name, text) => {
    expect(findJsonExcess(padded(text))).toBeUndefined();
  });

  it('is counted as a parser would count it', () => {
    const names = fc.array(fc.string(), { maxLength: 100 });
    const property = fc.property(names, fc.jsonValue(), (own, other) => {
      const many = Array.from({ length: JSON_SHAPE.namesMax + 5_000 }, (_, n) => [`${n}`, 1]);
      const text = JSON.stringify([Object.fromEntries([...own.map((name) => [name, other]), ...many])]);
      expect(findJsonExcess(padded(text))).toMatch('names');
      expect(findJsonExcess(padded(JSON.stringify([text])))).toBeUndefined();
    });
    fc.assert(property, { numRuns: 20 });
  });
});
