import { createHash, hkdfSync, timingSafeEqual } from 'node:crypto';
import { CompactEncrypt, compactDecrypt, decodeProtectedHeader } from 'jose';

/** Encrypts secrets for storage. */
export interface SecretBox {
  /** Id of the present key. Envelopes name it. */
  readonly keyId: string;
  /** Encrypts text with the present key. Each call returns another JWE. */
  seal(text: string): Promise<string>;
  /**
   * Decrypts a JWE of the present key or an old one.
   * @throws SecretBoxError if it was changed, or its key is unknown.
   */
  open(jwe: string): Promise<string>;
  /** Returns true if a JWE names the present key. */
  isSealedByPresentKey(jwe: string): boolean;
  /** Returns true if a JWE names the present key or an old one. */
  hasKeyOf(jwe: string): boolean;
  /**
   * Derives a key of 32 bytes for another purpose from each key, the present one first (HKDF, RFC 5869, SHA-256).
   * @param label names the purpose: keys of different labels are independent.
   */
  deriveKeys(label: string): readonly [Uint8Array, ...Uint8Array[]];
}

/** A secret that none of the keys can decrypt. Its message contains at most ids of keys. */
export class SecretBoxError extends Error {
  override readonly name = 'SecretBoxError';
}

const KEY_BYTES = 32;

/**
 * Creates a secret box. Its envelopes are JWEs (RFC 7516: `dir`, A256GCM) that name their key by `kid`.
 * @param encryptionKey the present key: 32 bytes as 64 hexadecimal digits or base64; any other text of at least 32
 * characters is hashed with SHA-256.
 * @param oldKeys former keys of the same forms, which only decrypt.
 * @throws RangeError for a key that is too short.
 */
export function createSecretBox(encryptionKey: string, oldKeys: readonly string[] = []): SecretBox {
  const key = toKey(encryptionKey);
  const keyId = toKeyId(key);
  const old = oldKeys.map(toKey);
  const keys = new Map([...old, key].map((each) => [toKeyId(each), each]));

  return {
    keyId,
    seal(text) {
      return new CompactEncrypt(new TextEncoder().encode(text))
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: keyId })
        .encrypt(key);
    },
    async open(jwe) {
      const sealedBy = readKeyId(jwe);
      const opener = keys.get(sealedBy ?? '');
      if (!opener) {
        throw new SecretBoxError(
          `encrypted with the key ${sealedBy ?? '(none)'}, not ${[...keys.keys()].join(' or ')}`,
        );
      }
      try {
        const { plaintext } = await compactDecrypt(jwe, opener, {
          keyManagementAlgorithms: ['dir'],
          contentEncryptionAlgorithms: ['A256GCM'],
        });
        return new TextDecoder().decode(plaintext);
      } catch (error) {
        throw new SecretBoxError('the secret cannot be decrypted', { cause: error });
      }
    },
    isSealedByPresentKey: (jwe) => readKeyId(jwe) === keyId,
    hasKeyOf: (jwe) => keys.has(readKeyId(jwe) ?? ''),
    deriveKeys: (label) => [derive(key, label), ...old.map((each) => derive(each, label))],
  };
}

/** Returns the id of the key that a JWE names; undefined if it names none. */
function readKeyId(jwe: string): string | undefined {
  try {
    return decodeProtectedHeader(jwe).kid;
  } catch {
    return undefined;
  }
}

function derive(key: Uint8Array, label: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', key, '', label, KEY_BYTES));
}

function toKeyId(key: Uint8Array): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 16);
}

function toKey(text: string): Uint8Array {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex');
  const bytes = Buffer.from(text, 'base64');
  // Buffer ignores invalid base64 characters, so only text that encodes back to itself counts as base64.
  if (bytes.length === KEY_BYTES && bytes.toString('base64') === text) return bytes;
  if (text.length < KEY_BYTES) throw new RangeError(`the encryption key needs at least ${KEY_BYTES} characters`);
  return createHash('sha256').update(text).digest();
}

/** Compares two secrets in constant time, which reveals neither their contents nor their lengths. */
export function isSameSecret(given: unknown, expected: string): boolean {
  return typeof given === 'string' && timingSafeEqual(digest(given), digest(expected));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
