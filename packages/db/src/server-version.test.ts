import { expect, it } from '@jest/globals';
import { isFaultyServer } from './server-version.ts';

it('finds the versions of PostgreSQL that may crash', () => {
  const versions = [150_012, 170_010, 180_000, 180_004, 180_005, 180_006, 190_000];
  expect(versions.filter(isFaultyServer)).toEqual([180_000, 180_004, 180_005]);
});
