import { describe, expect, it } from '@jest/globals';
import type { JsonValue } from '@deckhand/contracts';
import { findInJson, toRows, unfoldSome } from './json-rows.ts';

const ORDER: JsonValue = { id: 7, lines: [{ sku: 'A-1' }, { sku: 'b-2', 'two words': null }] };

describe('toRows', () => {
  it('shows what is unfolded, and nothing below what is not', () => {
    expect(toRows(ORDER, new Set(['', '.lines'])).map(({ path, depth }) => [path, depth])).toEqual([
      ['', 0],
      ['.id', 1],
      ['.lines', 1],
      ['.lines[0]', 2],
      ['.lines[1]', 2],
    ]);
  });

  it('writes paths as expressions do', () => {
    expect(toRows(ORDER, new Set(['', '.lines', '.lines[1]'])).at(-1)?.path).toBe('.lines[1]["two words"]');
  });
});

describe('findInJson', () => {
  it('finds names and values whatever their case, and unfolds what leads to them', () => {
    const { hits, open } = findInJson(ORDER, 'B-2');
    expect([...hits]).toEqual(['.lines[1].sku']);
    expect([...open].sort()).toEqual(['', '.lines', '.lines[1]']);
    expect([...findInJson(ORDER, 'SKU').hits]).toEqual(['.lines[0].sku', '.lines[1].sku']);
  });

  it('says when it stopped looking', () => {
    const many = Array.from({ length: 600 }, () => 'x');
    expect(findInJson(many, 'x')).toMatchObject({ isCut: true });
  });
});

describe('unfoldSome', () => {
  it('shows a small value whole, and of a large one no more than fits', () => {
    expect(toRows(ORDER, unfoldSome(ORDER))).toHaveLength(8);
    const large = { few: [1, 2], many: Array.from({ length: 1_000 }, (_, index) => index) };
    expect([...unfoldSome(large)]).toEqual(['', '.few']);
  });
});
