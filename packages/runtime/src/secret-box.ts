import { createHash } from 'node:crypto';
import { CompactEncrypt, compactDecrypt, decodeProtectedHeader } from 'jose';

/** Encrypts what must be kept but never shown. */
export interface SecretBox {
  /** The id of the key that it seals with, which the envelopes name. */
  readonly keyId: string;
  /** Encrypts a text with the present key. Each call answers another JWE. */
  seal(text: string): Promise<string>;
  /**
   * Decrypts a JWE of the present key or an old one.
   * @throws SecretBoxError when it was changed or its key is not among them.
   */
  open(jwe: string): Promise<string>;
  /** Whether a JWE says that the present key sealed it. */
  isSealedByPresentKey(jwe: string): boolean;
  /** Whether the key that a JWE names is the present one or an old one. */
  hasKeyOf(jwe: string): boolean;
}

/** A secret that none of the keys can open. Its message has ids of keys at most. */
export class SecretBoxError extends Error {
  override readonly name = 'SecretBoxError';
}

const KEY_BYTES = 32;

/**
 * Opens a box whose envelopes are JWEs (RFC 7516: `dir`, A256GCM) that name their key by a `kid`.
 * @param encryptionKey 32 bytes as 64 hexadecimal digits or as base64, used as they are; any other text of at least 32
 * characters is hashed with SHA-256. It seals.
 * @param oldKeys keys of the same forms that only open what they sealed once.
 * @throws RangeError for a key that is too short to be one.
 */
export function createSecretBox(encryptionKey: string, oldKeys: readonly string[] = []): SecretBox {
  const key = toKey(encryptionKey);
  const keyId = toKeyId(key);
  const keys = new Map([...oldKeys.map(toKey), key].map((each) => [toKeyId(each), each]));

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
        throw new SecretBoxError(`sealed with the key ${sealedBy ?? '(none)'}, not ${[...keys.keys()].join(' or ')}`);
      }
      try {
        const { plaintext } = await compactDecrypt(jwe, opener, {
          keyManagementAlgorithms: ['dir'],
          contentEncryptionAlgorithms: ['A256GCM'],
        });
        return new TextDecoder().decode(plaintext);
      } catch (error) {
        throw new SecretBoxError('the secret cannot be opened', { cause: error });
      }
    },
    isSealedByPresentKey: (jwe) => readKeyId(jwe) === keyId,
    hasKeyOf: (jwe) => keys.has(readKeyId(jwe) ?? ''),
  };
}

/** The id of the key that a JWE says it was sealed with; undefined where it says none. */
function readKeyId(jwe: string): string | undefined {
  try {
    return decodeProtectedHeader(jwe).kid;
  } catch {
    return undefined;
  }
}

function toKeyId(key: Uint8Array): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 16);
}

function toKey(text: string): Uint8Array {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex');
  const bytes = Buffer.from(text, 'base64');
  // Buffer skips what is no base64: only text that reads back the same was meant as such.
  if (bytes.length === KEY_BYTES && bytes.toString('base64') === text) return bytes;
  if (text.length < KEY_BYTES) throw new RangeError(`the encryption key needs at least ${KEY_BYTES} characters`);
  return createHash('sha256').update(text).digest();
}
