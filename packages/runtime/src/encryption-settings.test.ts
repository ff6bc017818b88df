import { describe, expect, it } from '@jest/globals';
import { openSecretBox } from './encryption-settings.ts';
import { createSecretBox } from './secret-box.ts';
import { SettingsError } from './settings.ts';

const PRESENT = 'the present key, of more than thirty-two characters';
const FORMER = 'a former key, with a comma, of thirty-two characters or more';
const OLDER = 'an older key of at least thirty-two characters';

function issue(old: string): unknown {
  try {
    openSecretBox({ ENCRYPTION_KEY: PRESENT, ENCRYPTION_KEYS_OLD: old });
    return undefined;
  } catch (error) {
    return error;
  }
}

describe('ENCRYPTION_KEYS_OLD', () => {
  it.each([
    ['one key as it is', FORMER, [FORMER]],
    ['several as a JSON list', JSON.stringify([FORMER, OLDER]), [FORMER, OLDER]],
  ])('takes %s', async (_, old, keys) => {
    const box = openSecretBox({ ENCRYPTION_KEY: PRESENT, ENCRYPTION_KEYS_OLD: old });
    for (const key of keys) expect(await box.open(await createSecretBox(key).seal('mine'))).toBe('mine');
    expect(await createSecretBox(PRESENT).open(await box.seal('mine'))).toBe('mine');
  });

  it.each([
    ['a list that is not closed', `["${FORMER}"`],
    ['a list of other things', JSON.stringify([FORMER, 7])],
    ['a key that is too short to be one', JSON.stringify([FORMER, 'hunter2'])],
  ])('refuses %s, by its name and without its value', (_, old) => {
    const error = issue(old);
    expect(error).toBeInstanceOf(SettingsError);
    expect(String(error)).toMatch(/ENCRYPTION_KEYS_OLD/);
    expect(String(error)).not.toMatch(/former|hunter2/);
  });
});
