import { SettingsError } from '@deckhand/runtime';
import { describe, expect, it } from '@jest/globals';
import { readApiSettings } from './settings.ts';

const NEEDED = {
  DATABASE_URL: 'postgres://localhost/deckhand',
  REDIS_URL: 'redis://localhost',
  ENCRYPTION_KEY: 'a key for tests, thirty-two characters or more',
};

describe('the cost of password hashes', () => {
  it('is 12 by default, and at least 10', () => {
    expect(readApiSettings(NEEDED).BCRYPT_ROUNDS).toBe(12);
    expect(readApiSettings({ ...NEEDED, BCRYPT_ROUNDS: '10' }).BCRYPT_ROUNDS).toBe(10);
    for (const env of [{}, { NODE_ENV: 'production' }, { NODE_ENV: 'development' }]) {
      const read = () => readApiSettings({ ...NEEDED, ...env, BCRYPT_ROUNDS: '9' });
      expect(read).toThrow(SettingsError);
      expect(read).toThrow('BCRYPT_ROUNDS must be >= 10');
    }
  });

  it('may be less in tests', () => {
    const env = { ...NEEDED, NODE_ENV: 'test' };
    expect(readApiSettings({ ...env, BCRYPT_ROUNDS: '4' }).BCRYPT_ROUNDS).toBe(4);
    expect(() => readApiSettings({ ...env, BCRYPT_ROUNDS: '3' })).toThrow('BCRYPT_ROUNDS must be >= 4');
  });
});
