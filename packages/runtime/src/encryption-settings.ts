import Type, { type Static, type TObject } from 'typebox';
import { createSecretBox, type SecretBox } from './secret-box.js';
import { SettingsError } from './settings.js';

/** The settings that secrets are encrypted by, the same for the API and all workers. */
export const EncryptionSettings = {
  /** Seals: 32 bytes as base64 or hex, or a text of at least 32 characters. */
  ENCRYPTION_KEY: Type.String({ minLength: 32 }),
  /**
   * Opens what former keys sealed: one key, or several as a JSON list of texts. Empty once everything is sealed anew.
   */
  ENCRYPTION_KEYS_OLD: Type.Optional(Type.String({ minLength: 32 })),
};

/**
 * Opens the box that these settings describe.
 * @throws SettingsError naming the setting, never its value, when ENCRYPTION_KEYS_OLD is no list of keys.
 */
export function openSecretBox(settings: Static<TObject<typeof EncryptionSettings>>): SecretBox {
  return createSecretBox(settings.ENCRYPTION_KEY, readOldKeys(settings.ENCRYPTION_KEYS_OLD ?? ''));
}

function readOldKeys(text: string): string[] {
  // Any text may be a key, so only a list needs a form of its own.
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
    // What JSON.parse complains about quotes the text.
    throw bad('begins like a JSON list and is none');
  }
  if (!Array.isArray(list) || !list.every((key): key is string => typeof key === 'string')) {
    throw bad('must be a JSON list of texts');
  }
  return list;
}

function bad(fault: string): SettingsError {
  return new SettingsError(`Bad settings: ENCRYPTION_KEYS_OLD ${fault}`);
}
