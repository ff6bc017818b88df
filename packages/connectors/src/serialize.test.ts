import type { JsonValue } from '@deckhand/contracts';
import { describe, expect, it } from '@jest/globals';
import type { Style } from './operation.ts';
import { encodeWithReserved, percentEncode, toPairs, writeValue } from './serialize.ts';

const LIST = ['blue', 'black', 'brown'];
const OBJECT = { R: 100, G: 200, B: 150 };

/** The table of OpenAPI 3.1.1, 4.8.12.6: for the empty text, a text, a list and an object; undefined is "n/a". */
type Row = readonly [Style, boolean, string | undefined, string | undefined, string | undefined, string | undefined];

const WRITTEN: readonly Row[] = [
  ['matrix', false, ';color', ';color=blue', ';color=blue,black,brown', ';color=R,100,G,200,B,150'],
  ['matrix', true, ';color', ';color=blue', ';color=blue;color=black;color=brown', ';R=100;G=200;B=150'],
  ['label', false, '.', '.blue', '.blue,black,brown', '.R,100,G,200,B,150'],
  ['label', true, '.', '.blue', '.blue.black.brown', '.R=100.G=200.B=150'],
  ['simple', false, '', 'blue', 'blue,black,brown', 'R,100,G,200,B,150'],
  ['simple', true, '', 'blue', 'blue,black,brown', 'R=100,G=200,B=150'],
];
const QUERIES: readonly Row[] = [
  ['form', false, 'color=', 'color=blue', 'color=blue,black,brown', 'color=R,100,G,200,B,150'],
  ['form', true, 'color=', 'color=blue', 'color=blue&color=black&color=brown', 'R=100&G=200&B=150'],
  ['spaceDelimited', false, undefined, undefined, 'color=blue%20black%20brown', 'color=R%20100%20G%20200%20B%20150'],
  ['pipeDelimited', false, undefined, undefined, 'color=blue%7Cblack%7Cbrown', 'color=R%7C100%7CG%7C200%7CB%7C150'],
  ['deepObject', true, undefined, undefined, undefined, 'color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150'],
];

function query(name: string, value: JsonValue, style: Style, explode: boolean): string {
  return toPairs(name, value, { style, explode }, percentEncode)
    .map((pair) => pair.join('='))
    .join('&');
}

describe('values are written as in the table of OpenAPI', () => {
  it.each(WRITTEN)('%s, explode %s, in a path', (style, explode, ...expected) => {
    const written = ['', 'blue', LIST, OBJECT].map((value) =>
      writeValue('color', value, { style, explode }, percentEncode),
    );
    expect(written).toEqual(expected);
  });

  it.each(QUERIES)('%s, explode %s, in a query', (style, explode, ...expected) => {
    for (const [index, value] of ['', 'blue', LIST, OBJECT].entries()) {
      const defined = expected[index];
      if (defined !== undefined) expect(query('color', value, style, explode)).toBe(defined);
    }
  });
});

it.each<[string, JsonValue, Style, boolean, string]>([
  ['null is left out', null, 'form', true, ''],
  ['an empty list is left out', [], 'form', false, ''],
  ['numbers and booleans are texts', [1.5, true], 'form', false, 'a=1.5,true'],
  ['what separates is encoded in values', ['x,y', 'z&'], 'form', false, 'a=x%2Cy,z%26'],
  ['an object in a list is JSON', [{ b: 1 }], 'form', true, 'a=%7B%22b%22%3A1%7D'],
  ['tabs separate, as in Swagger 2', ['x', 'y'], 'tabDelimited', false, 'a=x%09y'],
  [
    'brackets nest',
    { b: { c: [1, { d: 2 }] } },
    'deepObject',
    true,
    'a%5Bb%5D%5Bc%5D%5B0%5D=1&a%5Bb%5D%5Bc%5D%5B1%5D%5Bd%5D=2',
  ],
])('%s', (_name, value, style, explode, expected) => {
  expect(query('a', value, style, explode)).toBe(expected);
});

it.each([
  [percentEncode, "a b/ü!'()*~", 'a%20b%2F%C3%BC%21%27%28%29%2A~'],
  [percentEncode, '\ud800', '%EF%BF%BD'],
  [encodeWithReserved, '/a?b=c:@%2F%zz', '/a?b=c:@%2F%25zz'],
  [encodeWithReserved, 'a&b#c+[d] e', 'a%26b%23c%2B%5Bd%5D%20e'],
])('%p encodes %s', (encode, text, expected) => {
  expect(encode(text)).toBe(expected);
});
