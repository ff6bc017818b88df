import { describe, expect, it } from '@jest/globals';
import { createApiKeyText, createSecret, hashSecret, isApiKeyText, isSessionToken } from './tokens.ts';

describe('keys and tokens', () => {
  it('are recognised, and not taken for each other', () => {
    const [key, token] = [createApiKeyText(), createSecret()];
    expect([isApiKeyText(key), isSessionToken(key)]).toEqual([true, false]);
    expect([isApiKeyText(token), isSessionToken(token)]).toEqual([false, true]);
  });

  it('are never the same twice', () => {
    expect(new Set(Array.from({ length: 1_000 }, createApiKeyText)).size).toBe(1_000);
  });

  it('are kept as SHA-256', () => {
    expect(hashSecret('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });

  it.each(['', 'dk_', 'dk_short', `DK_${'a'.repeat(43)}`, `dk_${'a'.repeat(44)}`, `dk_${'-'.repeat(43)}`])(
    'take %p for no key',
    (text) => expect(isApiKeyText(text)).toBe(false),
  );
});
