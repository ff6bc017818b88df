import { randomInt } from 'node:crypto';
import { hashSecret } from './tokens.ts';

const COUNT = 10;
/** Digits and letters without those that look alike: 16 of 32 characters have 80 bits. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const LENGTH = 16;

/** Creates recovery codes, such as `k3mw-07dz-9qpx-t5ca`. */
export function createRecoveryCodes(): string[] {
  return Array.from({ length: COUNT }, () => {
    const text = Array.from({ length: LENGTH }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('');
    return text.replaceAll(/(.{4})(?=.)/g, '$1-');
  });
}

/** Returns the hash of a code as people type it: in any case, with or without dashes, `o` for 0, `i` and `l` for 1. */
export function hashRecoveryCode(code: string): string {
  const text = code.toLowerCase().replaceAll(/[\s-]/g, '').replaceAll('o', '0').replaceAll(/[il]/g, '1');
  return hashSecret(text);
}
