import { describe, expect, it } from '@jest/globals';
import { createRecoveryCodes, hashRecoveryCode } from './recovery-codes.ts';

describe('recovery codes', () => {
  it('are ten, each with 80 bits, and never the same', () => {
    const codes = Array.from({ length: 100 }, createRecoveryCodes).flat();
    expect(new Set(codes).size).toBe(1_000);
    for (const code of codes) expect(code).toMatch(/^([0-9a-hjkmnp-tv-z]{4}-){3}[0-9a-hjkmnp-tv-z]{4}$/);
  });

  it('are read as people type them, and nothing else', () => {
    const hash = hashRecoveryCode('k3mw-07dz-9qpx-t1ca');
    for (const typed of ['K3MW 07DZ 9QPX T1CA', 'k3mwo7dz9qpxtlca', ' k3mw-O7dz-9qpx-tIca ']) {
      expect(hashRecoveryCode(typed)).toBe(hash);
    }
    expect(hashRecoveryCode('k3mw-07dz-9qpx-t1cb')).not.toBe(hash);
  });
});
