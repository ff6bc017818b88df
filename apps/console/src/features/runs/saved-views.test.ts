import { expect, it } from '@jest/globals';
import { readViews, withView } from './saved-views.ts';

it('views are listed by name, one for each', () => {
  const [b, a] = [
    { name: 'b', filter: { status: 'failed' } },
    { name: 'a', filter: {} },
  ];
  const again = { name: 'b', filter: { search: 'x' } };
  expect(withView(withView(withView([], b), a), again)).toEqual([a, again]);
});

it('what is stored is read as far as it is valid', () => {
  const stored = [
    { name: 'late', filter: { status: 'failed,nonsense', within: 'yesterday', minDurationMs: -1, more: 1 } },
    ...[{ name: 1, filter: {} }, { name: 'none' }, null],
  ];
  expect(readViews(JSON.stringify(stored))).toEqual([
    { name: 'late', filter: { status: 'failed', within: 'yesterday' } },
  ]);
  expect([readViews('{'), readViews('{}'), readViews(undefined)]).toEqual([[], [], []]);
});
