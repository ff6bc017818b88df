import { describe, expect, it } from '@jest/globals';
import { createTimeSecret, stepOfCode, timeSecretUri } from './time-codes.ts';

/** The secret of RFC 6238, appendix B: "12345678901234567890" in base32. */
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

/** The SHA-1 vectors of RFC 6238, appendix B; codes of six digits are the last six of its eight. */
const VECTORS: readonly [number, string][] = [
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
];

describe('codes of authenticator apps', () => {
  it.each(VECTORS)('are those of RFC 6238 at %d s', (seconds, code) => {
    expect(stepOfCode(SECRET, code, seconds * 1_000)).toBe(Math.floor(seconds / 30));
  });

  it.each([
    ['one step early', -30, true],
    ['one step late', 30, true],
    ['two steps early', -60, false],
    ['two steps late', 60, false],
  ])('%s', (_, seconds, isAccepted) => {
    const [at, code] = VECTORS[3] ?? [0, ''];
    const step = stepOfCode(SECRET, code, (at + seconds) * 1_000);
    expect(step).toBe(isAccepted ? Math.floor(at / 30) : undefined);
  });

  it.each(['', '5924', '0005924', '00592a', '-05924', '005 92', '٠٠٥٩٢٤'])('are not %p', (code) => {
    expect(stepOfCode(SECRET, code, 1_234_567_890_000)).toBeUndefined();
  });

  it('may have the space in the middle that apps show', () => {
    expect(stepOfCode(SECRET, '005 924', 1_234_567_890_000)).toBe(41_152_263);
  });

  it('have a secret of 160 random bits, and a URI that apps read', () => {
    const secret = createTimeSecret();
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(createTimeSecret()).not.toBe(secret);
    const uri = new URL(timeSecretUri(secret, 'ada@example.com'));
    expect([uri.protocol, decodeURIComponent(uri.pathname)]).toEqual(['otpauth:', '/Deckhand:ada@example.com']);
    expect(Object.fromEntries(uri.searchParams)).toMatchObject({ secret, issuer: 'Deckhand' });
  });
});
