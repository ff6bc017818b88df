import { describe, expect, it } from '@jest/globals';
import { readSecondFactorRule } from './second-factor-settings.ts';

const read = (SECOND_FACTOR_REQUIRED?: string, SECOND_FACTOR_AFTER_SSO = false) =>
  readSecondFactorRule({
    SECOND_FACTOR_AFTER_SSO,
    ...(SECOND_FACTOR_REQUIRED !== undefined && { SECOND_FACTOR_REQUIRED }),
  });

describe('who must have a second factor', () => {
  it('is nobody by default', () => {
    expect([read(), read(''), read(' , ')]).toEqual([undefined, undefined, undefined]);
  });

  it('is named by words and roles', () => {
    expect(read('administrators, Owner,editor', true)).toEqual({
      ...{ everybody: false, administrators: true, roles: ['owner', 'editor'], afterSignOn: true },
    });
    expect(read('everybody')).toMatchObject({ everybody: true, administrators: false, roles: [] });
  });

  it('is not guessed from a word that nothing is known about', () => {
    expect(() => read('administrator')).toThrow('SECOND_FACTOR_REQUIRED must name some of everybody, administrators');
  });
});
