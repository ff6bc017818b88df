import { describe, expect, it } from '@jest/globals';
import { createIntlHost } from './intl-host.ts';

const ask = (...request: unknown[]): unknown => JSON.parse(createIntlHost().ask(JSON.stringify(request)));

describe('the host of a script', () => {
  it('computes formatters of a known class, by a known method', () => {
    expect(ask('NumberFormat', 'de', null, 'format', ['1234.5'])).toEqual({ value: '1.234,5' });
    for (const type of ['constructor', '__proto__', 'Segmenter', 'Function']) {
      expect(ask(type, 'de', null, 'format', ['1'])).toEqual({ error: `${type} is not supported`, isRange: false });
    }
    for (const method of ['constructor', '__proto__', 'toString', 'compare']) {
      expect(ask('NumberFormat', 'de', null, method, ['1'])).toMatchObject({ isRange: false });
    }
  });

  it.each(['1'.repeat(401), '1e1000', `0.${'1'.repeat(401)}`, '0x10', ' 1', '1n', ''])(
    'writes no number %#',
    (text) => {
      expect(ask('NumberFormat', 'en', null, 'format', [text])).toMatchObject({ isRange: true });
    },
  );

  it('shares formatters between scripts, but not those of comparisons', () => {
    expect(createIntlHost().compare('["String",null,{}]', 'a', 'b')).toBe(-1);
    expect(ask('String', null, {}, 'toLocaleUpperCase', ['a'])).toEqual({ value: 'A' });
  });

  it('creates 1,000 formatters for a script, and takes a million characters', () => {
    const host = createIntlHost();
    const create = (index: number) =>
      host.compare(JSON.stringify(['en', { numeric: index % 2 === 0, ignorePunctuation: index }]), 'a', 'b');
    for (let index = 0; index < 1_000; index += 1) expect(create(index)).toBe(-1);
    expect(create(1_000)).toContain('a script may create 1000 formatters');
    expect(create(999)).toBe(-1);
    expect(createIntlHost().compare('[]', 'a', 'b'.repeat(1_000_000))).toContain('characters');
  });

  it('refuses what is no request', () => {
    for (const request of ['', '{}', '[]', '[1,2]', '["Collator",null,{"a":{}},"compare",[]]', '"x"']) {
      expect(JSON.parse(createIntlHost().ask(request))).toHaveProperty('error');
    }
  });
});
