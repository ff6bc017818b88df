import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseExactJson } from './json.ts';

describe('numbers beyond the range of a double', () => {
  const digits = '9'.repeat(309);

  it.each([
    ['{"a":1e999}', { a: '1e999' }],
    ['[-1.50E+400,1e309 , 0.001e1000]', ['-1.50E+400', '1e309', '0.001e1000']],
    [`[${digits}.5,-${digits}.5e1]`, [`${digits}.5`, `-${digits}.5e1`]],
    ['1e999', '1e999'],
    ['["1e999",": 1e999,",1e999,"a\\" 1e999"]', ['1e999', ': 1e999,', '1e999', 'a" 1e999']],
    ['[1e308,-1.7976931348623157e308,1e0000003,1e-999,-1E-400,0e999]', [1e308, -Number.MAX_VALUE, 1e3, 0, -0, 0]],
  ])('become texts as they are written, and nothing else does: %s', (text, value) => {
    expect(parseExactJson(text)).toEqual(value);
  });

  it.each([
    '{1e999:1}',
    '[01e999]',
    '[+1e999]',
    '[.1e999]',
    '[1.e999]',
    '[1e999.5]',
    '[1e999e1]',
    '[1e999a]',
    '[1e999"a"]',
    '["a" 1e999]',
    '1e999 1e999',
    `[${digits}.]`,
    `[${digits}.5e]`,
  ])('do not make invalid JSON valid: %s', (text) => {
    expect(() => parseExactJson(text)).toThrow(SyntaxError);
  });
});

describe('whole numbers beyond the safe range', () => {
  it.each([
    ['{"id":7615917337495251231}', { id: '7615917337495251231' }],
    ['[-9007199254740992,9007199254740992]', ['-9007199254740992', '9007199254740992']],
    ['[-9007199254740991,9007199254740991]', [-9007199254740991, 9007199254740991]],
    [' 12345678901234567890 ', '12345678901234567890'],
    [`{"a":[{"b" : ${'9'.repeat(400)} }]}`, { a: [{ b: '9'.repeat(400) }] }],
    [
      '{"a":"x: 12345678901234567890, \\" [12345678901234567890","b":12345678901234567890}',
      {
        a: 'x: 12345678901234567890, " [12345678901234567890',
        b: '12345678901234567890',
      },
    ],
    [
      '["\\\\",12345678901234567890,"\\\\\\" 12345678901234567890"]',
      ['\\', '12345678901234567890', '\\" 12345678901234567890'],
    ],
    [
      '[1.2345678901234567,0.30000000000000004,1e20,12345678901234567890.5,12345678901234567890e2]',
      [
        1.2345678901234567,
        0.30000000000000004,
        1e20,
        Number('12345678901234567890.5'),
        Number('12345678901234567890e2'),
      ],
    ],
  ])('become texts of their digits, and nothing else does: %s', (text, value) => {
    expect(parseExactJson(text)).toEqual(value);
  });

  it.each([
    '{12345678901234567890:1}',
    `{12345678901234567890${' '.repeat(100)}: 1}`,
    '[012345678901234567890]',
    '[+12345678901234567890]',
    '[.12345678901234567890]',
    '[12345678901234567890"a"]',
    '["a" 12345678901234567890]',
    '["a\n12345678901234567890',
    '12345678901234567890 12345678901234567890',
  ])('do not make invalid JSON valid: %s', (text) => {
    expect(() => parseExactJson(text)).toThrow(SyntaxError);
  });

  it('are all that differs from other JSON', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 4 }), (text) => {
        expect(parseExactJson(text)).toEqual(JSON.parse(text, exactly));
      }),
      { seed: 1, numRuns: 500 },
    );
    /** Integers that fast-check writes are safe, apart from those beyond 2^53. */
    function exactly(_name: string, value: unknown): unknown {
      const isLarge = typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value);
      return isLarge && /^-?\d+$/.test(String(value)) ? String(value) : value;
    }
  });

  it('are found in time that grows with the text', () => {
    const many = `[${'12345678901234567890,'.repeat(100_000)}"${'\\\\'.repeat(100_000)}"]`;
    expect(parseExactJson(many)).toHaveLength(100_001);
    expect(() => parseExactJson(`"${' 12345678901234567890'.repeat(100_000)}`)).toThrow(SyntaxError);
    const digits = '1'.repeat(2_000_000);
    expect(parseExactJson(`[${digits}.${digits}e1]`)).toEqual([`${digits}.${digits}e1`]);
    expect(() => parseExactJson(`[1e1${digits}.${digits}x]`)).toThrow(SyntaxError);
  });
});
