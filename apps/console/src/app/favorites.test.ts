import { expect, it } from '@jest/globals';
import { MAX_FAVORITES, readFavorites } from './favorites.ts';

it('favorites are read as far as they are valid, and not more than there is room for', () => {
  const ids = Array.from({ length: MAX_FAVORITES + 1 }, (_, index) => `w${index}`);
  expect(readFavorites(JSON.stringify([1, ...ids, null]))).toEqual(ids.slice(1));
  expect([readFavorites('{'), readFavorites('"w"'), readFavorites(undefined)]).toEqual([[], [], []]);
});
