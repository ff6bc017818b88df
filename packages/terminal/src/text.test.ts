import { describe, expect, it } from '@jest/globals';
import { PassThrough } from 'node:stream';
import { clean, render, toJson } from './text.ts';

describe('text of others', () => {
  it.each([
    ['escape sequences', 'a\u001b[31mb', 'a\\u001b[31mb'],
    ['C1 controls and DEL', '\u009b31m\u007f', '\\u009b31m\\u007f'],
    ['line breaks of all kinds', 'a\nb\r\u2028c', 'a\\nb\\u000d\\u2028c'],
    ['tabs', 'a\tb', 'a b'],
    ['text direction', '\u202etxt\u2066', '\\u202etxt\\u2066'],
    ['nothing else', 'Größe 東京 👩‍💻', 'Größe 東京 👩‍💻'],
  ])('is cleaned of %s', (_, text, shown) => {
    expect(clean(text)).toBe(shown);
  });

  it('is the same JSON, without characters that a terminal acts on', () => {
    const value = { '\u009b': ['\u001b', '\u007f\u202e', 'ü'] };
    const json = toJson(value);
    expect(json).toBe('{"\\u009b":["\\u001b","\\u007f\\u202e","ü"]}');
    expect(JSON.parse(json)).toEqual(value);
  });
});

describe('a line', () => {
  it('is cut to the width, by characters', () => {
    expect(render(['👩a', { text: 'bcd' }], new PassThrough(), 4)).toBe('👩ab…');
    expect(render('abcd', new PassThrough(), 4)).toBe('abcd');
  });
});
