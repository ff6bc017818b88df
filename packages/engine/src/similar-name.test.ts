import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { didYouMean, findSimilarName } from './similar-name.ts';

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
    expect(findSimilarName(mistyped, names)).toBe(meant);
    expect(didYouMean(mistyped, names)).toBe(meant === undefined ? '' : ` (did you mean "${meant}"?)`);
  });

  it('is found after one edit of a long name', () => {
    const name = fc.stringMatching(/^[a-z]{6,20}$/);
    const edit = fc.record({ at: fc.nat(5), to: fc.constantFrom('', 'X', 'XY') });
    fc.assert(
      fc.property(name, edit, (original, { at, to }) => {
        const mistyped = original.slice(0, at) + to + original.slice(at + 1);
        expect(findSimilarName(mistyped, ['zzzzzzzzzzzzzzzzzzzzzzzzz', original])).toBe(original);
      }),
    );
  });
});
