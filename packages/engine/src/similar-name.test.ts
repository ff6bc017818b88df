import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createSuggestionBudget, didYouMean } from './similar-name.ts';

const suggestion = (name: string) => ` (did you mean "${name}"?)`;

describe('the name that is most like a mistyped one', () => {
  it.each([
    ['orders', ['customers', 'order', 'orders2'], 'order'],
    ['fetchOrdres', ['fetchOrders', 'fetchOffers'], 'fetchOrders'],
    ['CHECK', ['chunk', 'check'], 'check'],
    ['strat', ['stamp', 'start'], 'start'],
    ['pa', ['ap', 'pay'], undefined],
    ['htp', ['http', 'csv'], 'http'],
    ['a', ['b', 'c'], undefined],
    ['send', ['wait', 'each'], undefined],
    ['order', [], undefined],
  ])('of %s among %j is %s', (mistyped, names, meant) => {
    const text = didYouMean(mistyped, names, createSuggestionBudget());
    expect(text).toBe(meant === undefined ? '' : suggestion(meant));
  });

  it('is found after one edit of a long name', () => {
    const name = fc.stringMatching(/^[a-z]{6,20}$/);
    const edit = fc.record({ at: fc.nat(5), to: fc.constantFrom('', 'X', 'XY') });
    fc.assert(
      fc.property(name, edit, (original, { at, to }) => {
        const mistyped = original.slice(0, at) + to + original.slice(at + 1);
        const text = didYouMean(mistyped, ['zzzzzzzzzzzzzzzzzzzzzzzzz', original], createSuggestionBudget());
        expect(text).toBe(suggestion(original));
      }),
    );
  });

  it('is as many edits away as a full table says', () => {
    const word = fc.stringMatching(/^[ab]{6,9}$/);
    fc.assert(
      fc.property(word, word, (mistyped, name) => {
        const isSimilar = countByFullTable(mistyped, name) <= 2;
        expect(didYouMean(mistyped, [name], createSuggestionBudget())).toBe(isSimilar ? suggestion(name) : '');
      }),
    );
  });
});

describe('the work for suggestions', () => {
  it('ends for a name as soon as too many letters differ', () => {
    const budget = createSuggestionBudget();
    const before = budget.cells;
    didYouMean('a'.repeat(64), ['b'.repeat(64)], budget);
    expect(before - budget.cells).toBeLessThan(20);
  });

  it('is done for the first mistyped names only', () => {
    const budget = createSuggestionBudget();
    const texts = Array.from({ length: 50 }, () => didYouMean('strat', ['start'], budget));
    expect(texts.filter((text) => text !== '')).toEqual(Array.from({ length: 20 }, () => suggestion('start')));
  });

  it('ends when the budget is spent, also within a name, and then suggests nothing', () => {
    const long = 'a'.repeat(60);
    const names = Array.from({ length: 5_000 }, (_, n) => `${long}${String(n).padStart(4, '0')}`);
    let read = 0;
    const counted = function* () {
      for (const name of names) {
        read += 1;
        yield name;
      }
    };
    const budget = createSuggestionBudget();
    for (let n = 0; n < 10_000; n += 1) didYouMean(`${long}x${n % 10}yz`, counted(), budget);
    expect(budget.cells).toBeLessThan(0);
    expect(budget.cells).toBeGreaterThan(-10);
    expect(read).toBeLessThan(20 * names.length);
    expect(didYouMean('strat', ['start'], budget)).toBe('');
    expect(didYouMean('strat', ['stamp', 'start'], { names: 20, cells: 15 })).toBe('');
  });
});

/** Optimal string alignment, as its definition says. */
function countByFullTable(a: string, b: string): number {
  const table = new Map<string, number>();
  const at = (row: number, column: number): number => table.get(`${row},${column}`) ?? Infinity;
  for (let row = 0; row <= a.length; row += 1) {
    for (let column = 0; column <= b.length; column += 1) {
      const isSwap = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1] && row > 1 && column > 1;
      const least = Math.min(
        at(row - 1, column) + 1,
        at(row, column - 1) + 1,
        at(row - 1, column - 1) + (a[row - 1] === b[column - 1] ? 0 : 1),
        isSwap ? at(row - 2, column - 2) + 1 : Infinity,
      );
      table.set(`${row},${column}`, row === 0 && column === 0 ? 0 : least);
    }
  }
  return at(a.length, b.length);
}
