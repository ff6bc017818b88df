import { describe, expect, it } from '@jest/globals';
import { highlight } from './highlight.ts';

/** Returns the parts that have a class. */
const classesOf = (html: string): string[] =>
  [...html.matchAll(/<span class="(\w+)">([^<]*)/g)].map(([, kind = '', text = '']) => `${kind} ${text}`);

describe('code in colors', () => {
  it.each([
    ['json', '{ "a": [1, true, "b"] }', ['name &quot;a&quot;', 'literal 1', 'literal true', 'string &quot;b&quot;']],
    ['yaml', '# A\nname: "b"\n', ['comment # A', 'name name', 'string &quot;b&quot;']],
    ['js', "const a = 'b'; // c", ['keyword const', "string 'b'", 'comment // c']],
    ['ts', 'let a: string = 1;', ['keyword let', 'literal 1']],
    ['http', 'POST /a\nx-api-key: b\n\n{ "c": 1 }', ['name &quot;c&quot;', 'literal 1']],
    ['json', '{ "a": "x {{ $trigger.b }}" }', ['name &quot;a&quot;', 'string &quot;x ', 'expression {{ $trigger.b }}']],
    ['yaml', 'text: to {{ $trigger.b }}', ['name text', 'expression {{ $trigger.b }}']],
    ['sh', 'curl "a"', []],
    ['', 'text', []],
  ])('%s: %j', (language, code, expected) => {
    expect(classesOf(highlight(code, language))).toEqual(expected);
  });

  it.each(['json', 'yaml', 'js', 'ts', 'http', 'sh'])(
    '%s keeps each character, also of what is not valid',
    (language) => {
      for (const code of ['{ "a": …, <b> & "c\n', 'GET /a\n\n{ "a": … }\n', '\n\n', '']) {
        const text = highlight(code, language).replaceAll(/<[^>]+>/g, '');
        const plain = text
          .replaceAll('&lt;', '<')
          .replaceAll('&gt;', '>')
          .replaceAll('&quot;', '"')
          .replaceAll('&amp;', '&');
        expect(plain).toBe(code);
      }
    },
  );
});
