import Type, { type Static, type TObject } from 'typebox';
import { createSecretBox, type SecretBox } from './secret-box.ts';
import { SettingsError } from './settings.ts';

/** Settings of encryption. The API and all workers must have the same. */
export const EncryptionSettings = {
  /** Encrypts secrets: 32 bytes as base64 or hex, or text of at least 32 characters. */
  ENCRYPTION_KEY: Type.String({ minLength: 32 }),
  /**
   * Former keys, which only decrypt: one key, or a JSON list of keys. Not needed once all secrets are encrypted anew.
   */
  ENCRYPTION_KEYS_OLD: Type.Optional(Type.String({ minLength: 32 })),
};

/**
 * Creates the secret box from these settings.
 * @throws SettingsError naming the setting, never its value, if ENCRYPTION_KEYS_OLD is invalid.
 */
export function openSecretBox(settings: Static<TObject<typeof EncryptionSettings>>): SecretBox {
  return createSecretBox(settings.ENCRYPTION_KEY, readOldKeys(settings.ENCRYPTION_KEYS_OLD ?? ''));
}

function readOldKeys(text: string): string[] {
  // Any text may be a key, so only lists have a syntax.
  if (!text.startsWith('[')) return text === '' ? [] : [text];
  const keys = parseList(text);
  if (keys.some((key) => key.length < 32)) throw bad('has a key of fewer than 32 characters');
  return keys;
}

function parseList(text: string): string[] {
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch {
    // The message of JSON.parse would quote the text.
    throw bad('begins like a JSON list and is none');
  }
  if (!Array.isArray(list) || !list.every((key): key is string => typeof key === 'string')) {
    throw bad('must be a JSON list of texts');
  }
  return list;
}

function bad(issue: string): SettingsError {
  return new SettingsError(`Bad settings: ENCRYPTION_KEYS_OLD ${issue}`);
}
