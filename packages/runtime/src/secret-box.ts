import { createHash } from 'node:crypto';
import { CompactEncrypt, compactDecrypt, decodeProtectedHeader } from 'jose';

/** Encrypts what must be kept but never shown. */
export interface SecretBox {
  /** Encrypts a text. Each call answers another JWE. */
  seal(text: string): Promise<string>;
  /** Decrypts a JWE. @throws SecretBoxError when it was changed or sealed with another key. */
  open(jwe: string): Promise<string>;
}

/** A secret that this key cannot open. */
export class SecretBoxError extends Error {
  override readonly name = 'SecretBoxError';
}

const KEY_BYTES = 32;

/**
 * Opens a box whose envelopes are JWEs (RFC 7516: `dir`, A256GCM) that name their key by a `kid`.
 * @param encryptionKey 32 bytes as 64 hexadecimal digits or as base64, used as they are; any other text of at least 32
 * characters is hashed with SHA-256.
 */
export function createSecretBox(encryptionKey: string): SecretBox {
  const key = toKey(encryptionKey);
  const kid = createHash('sha256').update(key).digest('hex').slice(0, 16);

  return {
    seal(text) {
      return new CompactEncrypt(new TextEncoder().encode(text))
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid })
        .encrypt(key);
    },
    async open(jwe) {
      try {
        const header = decodeProtectedHeader(jwe);
        if (header.kid !== kid) throw new SecretBoxError(`sealed with the key ${header.kid ?? '(none)'}, not ${kid}`);
        const { plaintext } = await compactDecrypt(jwe, key, {
          keyManagementAlgorithms: ['dir'],
          contentEncryptionAlgorithms: ['A256GCM'],
        });
        return new TextDecoder().decode(plaintext);
      } catch (error) {
        if (error instanceof SecretBoxError) throw error;
        throw new SecretBoxError('the secret cannot be opened', { cause: error });
      }
    },
  };
}

function toKey(text: string): Uint8Array {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex');
  const bytes = Buffer.from(text, 'base64');
  // Buffer skips what is no base64: only text that reads back the same was meant as such.
  if (bytes.length === KEY_BYTES && bytes.toString('base64') === text) return bytes;
  if (text.length < KEY_BYTES) throw new RangeError(`the encryption key needs at least ${KEY_BYTES} characters`);
  return createHash('sha256').update(text).digest();
}
