import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { createSecretBox, SecretBoxError } from './secret-box.ts';

const PASSPHRASE = 'a passphrase of more than thirty-two characters';

describe('a secret box', () => {
  it.each([
    ['hexadecimal', randomBytes(32).toString('hex')],
    ['base64', randomBytes(32).toString('base64')],
    ['a passphrase', PASSPHRASE],
  ])('gives back what it sealed with a key that is %s', async (_, key) => {
    const sealed = await createSecretBox(key).seal('s3cret ✓');
    expect(sealed).not.toContain('s3cret');
    expect(await createSecretBox(key).open(sealed)).toBe('s3cret ✓');
  });

  it('seals the same text differently each time', async () => {
    const box = createSecretBox(PASSPHRASE);
    expect(await box.seal('same')).not.toBe(await box.seal('same'));
  });

  it('does not open what another key sealed', async () => {
    const sealed = await createSecretBox(PASSPHRASE).seal('mine');
    await expect(createSecretBox(`${PASSPHRASE}!`).open(sealed)).rejects.toThrow(SecretBoxError);
  });

  it('opens what an old key sealed, and seals with the present one only', async () => {
    const sealedBefore = await createSecretBox(PASSPHRASE).seal('mine');
    const [present, older] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')];
    const box = createSecretBox(present, [older, PASSPHRASE]);
    expect(await box.open(sealedBefore)).toBe('mine');
    expect(box.isSealedByPresentKey(sealedBefore)).toBe(false);
    const sealedNow = await box.seal('mine');
    expect(box.isSealedByPresentKey(sealedNow)).toBe(true);
    expect(await createSecretBox(present).open(sealedNow)).toBe('mine');
  });

  it('says which key is missing by its id alone', async () => {
    const sealed = await createSecretBox(PASSPHRASE).seal('mine');
    const box = createSecretBox(`${PASSPHRASE}!`);
    await expect(box.open(sealed)).rejects.toThrow(
      `encrypted with the key ${createSecretBox(PASSPHRASE).keyId}, not ${box.keyId}`,
    );
  });

  it('does not open what was changed', async () => {
    const box = createSecretBox(PASSPHRASE);
    const parts = (await box.seal('mine')).split('.');
    parts[3] = Buffer.from('changed').toString('base64url');
    await expect(box.open(parts.join('.'))).rejects.toThrow(SecretBoxError);
  });

  it('refuses a key that is too short to be one', () => {
    expect(() => createSecretBox('short')).toThrow(RangeError);
  });
});
