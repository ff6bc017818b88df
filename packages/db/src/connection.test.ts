import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { writeLongTexts } from './connection.ts';

/** Reads an array literal as PostgreSQL does (8.15.2). */
function read(literal: string): (string | null)[] {
  const items = literal.slice(1, -1).matchAll(/"((?:[^"\\]|\\.)*)"|NULL/gs);
  return Array.from(items, ([, text]) => text?.replace(/\\(.)/gs, '$1') ?? null);
}

describe('an array parameter of a statement', () => {
  it('is read back unchanged if one of its texts is long', () => {
    const text = fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.constantFrom('"', '\\', '\n', '\u{1F600}', 'NULL'),
    );
    const item = fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null));
    const property = fc.property(fc.array(item), text, (items, piece) => {
      const list = [...items, piece.padEnd(20_000, piece || 'a'), ...items];
      expect(read(String(writeLongTexts(list)))).toEqual(list.map((value) => (value === null ? null : String(value))));
    });
    fc.assert(property);
  });

  it.each([[['a', null]], [[]], ['a'.repeat(20_000)], [null], [[['a'.repeat(20_000)]]], [[Buffer.alloc(20_000)]]])(
    'is left to pg otherwise',
    (value) => {
      expect(writeLongTexts(value)).toBe(value);
    },
  );
});
