import { describe, expect, it } from '@jest/globals';
import { parseArray } from './parse-array.ts';

const read = (text: string) => parseArray(text, (element) => element);

describe('an array of PostgreSQL', () => {
  it.each<[string, unknown]>([
    ['{}', []],
    ['{1,2}', ['1', '2']],
    ['{a,NULL,"NULL",""}', ['a', null, 'NULL', '']],
    [String.raw`{"a \"b\" \\ c","x,y","{}"}`, ['a "b" \\ c', 'x,y', '{}']],
    [
      '{{1,2},{3,4}}',
      [
        ['1', '2'],
        ['3', '4'],
      ],
    ],
    ['[0:1]={1,2}', ['1', '2']],
  ])('is read: %s', (text, list) => expect(read(text)).toEqual(list));

  it.each(['', 'a', '{', '{1', '{"a}', '{"a\\', '{1}2', '{{1}', '[0:1]', '{'.repeat(100_000)])(
    'is refused where it is none: %#',
    (text) => expect(() => read(text)).toThrow(SyntaxError),
  );
});
