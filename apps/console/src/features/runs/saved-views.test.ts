import { expect, it } from '@jest/globals';
import { hasRoomFor, MAX_VIEWS, readViews, withView } from './saved-views.ts';

it('views are listed by name, one for each', () => {
  const [b, a] = [
    { name: 'b', filter: { status: 'failed' } },
    { name: 'a', filter: {} },
  ];
  const again = { name: 'b', filter: { search: 'x' } };
  expect(withView(withView(withView([], b), a), again)).toEqual([a, again]);
});

it('a full list has room for a view in place of one of the same name only', () => {
  const views = Array.from({ length: MAX_VIEWS }, (_, index) => ({ name: `v${index}`, filter: {} }));
  expect([hasRoomFor(views, 'v3'), hasRoomFor(views, 'new'), hasRoomFor(views.slice(1), 'new')]).toEqual([
    ...[true, false, true],
  ]);
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
