import { createHmac, timingSafeEqual } from 'node:crypto';
import type { SecretBox } from './secret-box.ts';

/** Signs texts that links contain. */
export interface SignedTokens {
  /** Returns a token for a text: always the same with the same key. */
  sign(text: string): string;
  /** Returns the text of a token; undefined for any token that was not signed by the present key or an old one. */
  verify(token: string): string | undefined;
}

/** HMAC-SHA-256, truncated to 160 bits (RFC 2104, 5): mail should not have to break the line. */
const SIGNATURE_BYTES = 20;
/** Base64url. The longest text is the name of a file, of 255 characters, with two ids. */
const TOKEN = /^[A-Za-z0-9_-]{60,1600}$/;

/**
 * Creates a signer. A token is base64url of the signature and the text: no table of tokens is needed, and the text
 * alone is not enough to make one.
 * @param label names the purpose of the derived keys, and the format of the texts: each needs a label of its own.
 */
export function createSignedTokens(secretBox: SecretBox, label: string): SignedTokens {
  const keys = secretBox.deriveKeys(label);
  return {
    sign(text) {
      const bytes = Buffer.from(text);
      return Buffer.concat([signatureOf(keys[0], bytes), bytes]).toString('base64url');
    },
    verify(token) {
      if (!TOKEN.test(token)) return undefined;
      const bytes = Buffer.from(token, 'base64url');
      // Unused bits at the end would give one text several tokens.
      if (bytes.toString('base64url') !== token) return undefined;
      const text = bytes.subarray(SIGNATURE_BYTES);
      const signature = bytes.subarray(0, SIGNATURE_BYTES);
      const isSigned = keys.some((key) => timingSafeEqual(signature, signatureOf(key, text)));
      return isSigned ? text.toString() : undefined;
    },
  };
}

function signatureOf(key: Uint8Array, text: Uint8Array): Uint8Array {
  return createHmac('sha256', key).update(text).digest().subarray(0, SIGNATURE_BYTES);
}
