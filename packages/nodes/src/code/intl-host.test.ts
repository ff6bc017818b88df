import { describe, expect, it } from '@jest/globals';
import { createIntlHost } from './intl-host.ts';

const ask = (type: string, options: unknown, method: string, ...args: unknown[]): unknown =>
  JSON.parse(createIntlHost().ask(JSON.stringify([type, ['de'], options]), method, JSON.stringify(args)));

describe('the host of a script', () => {
  it('has fixed lists of classes and methods', () => {
    expect(ask('NumberFormat', {}, 'format', '1234.5')).toEqual({ value: '1.234,5' });
    for (const type of ['constructor', '__proto__', 'Locale', 'Function']) {
      expect(ask(type, {}, 'format', '1')).toEqual({ error: `${type} is not available in scripts`, isRange: false });
    }
    for (const method of ['constructor', '__proto__', 'toString', 'compare']) {
      const error = `NumberFormat.${method} is not available in scripts`;
      expect(ask('NumberFormat', {}, method, '1')).toEqual({ error, isRange: false });
    }
  });

  it.each(['1'.repeat(401), '1e1000', `0.${'1'.repeat(401)}`, '0x10', ' 1', '1.5n', `${'1'.repeat(401)}n`, ''])(
    'refuses number %#',
    (text) => {
      expect(ask('NumberFormat', {}, 'format', text)).toEqual({
        error: 'the number has too many digits',
        isRange: true,
      });
    },
  );

  it('takes options that are texts, numbers and booleans', () => {
    expect(ask('Collator', { numeric: {} }, 'compare', 'a', 'b')).toMatchObject({ isRange: false });
    expect(ask('Collator', { __proto__: null, numeric: true }, 'compare', 'a2', 'a10')).toEqual({ value: -1 });
  });

  it('creates 500 formatters for a script, with settings of 10,000 characters, for a million characters', () => {
    const host = createIntlHost();
    const settings = (index: number) => JSON.stringify(['Collator', ['de'], { unknown: index }]);
    for (let index = 0; index < 500; index += 1) expect(host.compare(settings(index), 'a', 'b')).toBe(-1);
    expect(host.compare(settings(500), 'a', 'b')).toContain('a script may use 500 different');
    expect(host.compare(settings(499), 'a', 'b')).toBe(-1);
    expect(createIntlHost().compare(settings(0), 'a', 'b')).toBe(-1);
    expect(createIntlHost().compare(settings(0).padEnd(10_001), 'a', 'b')).toContain('more than 10000 characters');
    expect(createIntlHost().compare(settings(0), 'a', 'b'.repeat(1_000_000))).toContain('more than 1000000 characters');
    expect(createIntlHost().ask(settings(0), 'compare', ' '.repeat(1_000_001))).toContain('1000000 characters');
  });

  it('reports malformed requests without a stack', () => {
    for (const settings of ['', '{}', '[]', '[1,2]', '["Collator"]', '["Collator",[],null]', '["Collator",[1],{}]']) {
      const response: unknown = JSON.parse(createIntlHost().ask(settings, 'compare', '["a","b"]'));
      expect(response).toEqual({ error: expect.any(String), isRange: expect.any(Boolean) });
    }
    expect(createIntlHost().ask('["Collator",[],{}]', 'compare', '{}')).toContain('not a list');
  });
});
