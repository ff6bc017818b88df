import { DeckhandError } from '@deckhand/contracts';
import { describe, expect, it } from '@jest/globals';
import { checkData, checkJson } from './json-body.ts';

const check = (text: string): void => checkJson(JSON.parse(text), text);
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

function detailsOf(text: string): unknown {
  try {
    check(text);
    return undefined;
  } catch (error) {
    return error instanceof DeckhandError ? error.details : error;
  }
}

describe('JSON that cannot be kept', () => {
  it('holds a NUL character, and the issue says where', () => {
    expect(detailsOf('{"a":[{"b":"x\\u0000"}]}')).toEqual([{ path: 'a[0].b', message: 'holds a NUL character' }]);
    expect(detailsOf('{"a":{"\\u0000":1}}')).toEqual([
      { path: 'a', message: 'has a member whose name holds a NUL character' },
    ]);
  });

  it('is found in lists of objects of lists', () => {
    expect(detailsOf('[[{"a":[{"b":{"c":["x\\u0000"]}}]}]]')).toEqual([
      { path: '[0][0].a[0].b.c[0]', message: 'holds a NUL character' },
    ]);
  });

  it('holds half a surrogate pair, unless it is data of a run', () => {
    const message = 'holds half a surrogate pair';
    for (const half of ['\\ud800', '\\uDFFF', 'a\\uDc00\\ud800']) {
      const text = `{"a":["\\ud83d\\ude00","${half}"]}`;
      expect(detailsOf(text)).toEqual([{ path: 'a[1]', message }]);
      expect(() => checkData(JSON.parse(text), text)).not.toThrow();
      expect(detailsOf(`{"a":{"${half}":1}}`)).toEqual([{ path: 'a', message: `has a member whose name ${message}` }]);
    }
  });

  it('is nested without end', () => {
    expect(detailsOf(nested(201))).toEqual([{ path: '', message: 'is nested deeper than 200 levels' }]);
    expect(detailsOf(nested(1_000_000))).toEqual([{ path: '', message: 'is nested deeper than 200 levels' }]);
  });
});

describe('JSON that can be kept', () => {
  it.each(['null', '{"a":"\\\\u0000"}', '"\\\\ud800"', '"\\ud83d\\ude00"', nested(200)])('is %s', (text) => {
    expect(() => check(text)).not.toThrow();
  });
});
