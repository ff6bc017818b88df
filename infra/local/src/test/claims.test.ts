import { describe, expect, it } from '@jest/globals';
import { findUnprovenClaims, readClaims } from './claims.ts';

const PAGE =
  'Keys are hashed. (`tests/keys.test.ts`: "hashes a key", "refuses %s (twice)") (`tests/other.test.ts`: "x")';
const HASHES = { file: 'tests/keys.test.ts', title: 'hashes a key' };
const REFUSES = { file: 'tests/keys.test.ts', title: 'refuses %s (twice)' };
const claims = readClaims(PAGE);

describe('claims of a page', () => {
  it('are read with the file and each title', () => {
    expect(claims).toEqual([HASHES, REFUSES, { file: 'tests/other.test.ts', title: 'x' }]);
  });

  it.each([
    ['proven', ['keys hashes a key of a user', 'keys refuses "a" (twice)'], []],
    ['not proven by a test that did not pass', ['keys refuses "a" (twice)'], [HASHES]],
    ['not proven by a test with another title', ['hashes a key', 'refuses "a" once'], [REFUSES]],
    ['not proven by a file without a passed test', [], [HASHES, REFUSES]],
  ])('are %s', (_, names, unproven) => {
    expect(findUnprovenClaims(claims, [{ file: '/project/tests/keys.test.ts', names }])).toEqual(unproven);
  });
});
