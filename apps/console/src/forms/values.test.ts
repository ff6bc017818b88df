import { describe, expect, it } from '@jest/globals';
import { fromExpressionText, fromNumberText, fromObjectText, fromText, toTextFor } from './values.ts';

describe('the text of a value', () => {
  it('is parsed to the same value, also if it looks like another one', () => {
    for (const value of [
      '5',
      'true',
      'null',
      '[1]',
      '"quoted"',
      '',
      ' ',
      'plain',
      '{{ $input }}',
      5,
      null,
      { a: '5' },
    ]) {
      expect(fromText(toTextFor(value, fromText))).toEqual(value);
    }
    expect(['plain', '5'].map((value) => toTextFor(value, fromText))).toEqual(['plain', '"5"']);
    expect(fromExpressionText(toTextFor('plain', fromExpressionText))).toBe('plain');
  });

  it('keeps the digits of numbers that a number would change, and those beyond all numbers', () => {
    expect(fromText('{"id":7615917337495251231,"limit":1e999}')).toEqual({ id: '7615917337495251231', limit: '1e999' });
  });

  it('of a number is a finite one, an expression, or refused by the save', () => {
    const texts = ['', ' 1.50 ', '{{ $vars.limit }}', 'Infinity', '12x'];
    expect(texts.map(fromNumberText)).toEqual([undefined, 1.5, '{{ $vars.limit }}', 'Infinity', '12x']);
  });

  it('of a JSON object is that object, whatever braces its texts have', () => {
    const texts = ['{"a":"{{ b }}"}', ' ', '[1]', '{{ $input }}', '"{}"'];
    expect(texts.map(fromObjectText)).toEqual([{ a: '{{ b }}' }, {}, undefined, undefined, undefined]);
  });
});
