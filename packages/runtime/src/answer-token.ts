import { placeOfWait, waitIdOf, type WaitPlace } from '@deckhand/contracts';
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { SecretBox } from './secret-box.ts';

/** Signs the tokens of links that answer a wait of a run. */
export interface AnswerTokens {
  /** Returns the token of a wait: always the same with the same key. */
  sign(place: WaitPlace): string;
  /** Returns the wait of a token; undefined for any text that was not signed by the present key or an old one. */
  verify(token: string): WaitPlace | undefined;
}

/** Names the purpose of the derived keys, and the format: a token of another format needs another label. */
const LABEL = 'deckhand answer link v1';
/** HMAC-SHA-256, truncated to 160 bits (RFC 2104, 5): mail should not have to break the line. */
const SIGNATURE_BYTES = 20;
/** Base64url. The longest id of a wait has 261 characters. */
const TOKEN = /^[A-Za-z0-9_-]{60,400}$/;

/**
 * Creates the signer. A token is base64url of the signature and the id of the wait: no table of tokens is needed, and
 * the id alone is not enough to make one.
 */
export function createAnswerTokens(secretBox: SecretBox): AnswerTokens {
  const keys = secretBox.deriveKeys(LABEL);
  return {
    sign(place) {
      const waitId = Buffer.from(waitIdOf(place));
      return Buffer.concat([signatureOf(keys[0], waitId), waitId]).toString('base64url');
    },
    verify(token) {
      if (!TOKEN.test(token)) return undefined;
      const bytes = Buffer.from(token, 'base64url');
      // Unused bits at the end would give one wait several tokens.
      if (bytes.toString('base64url') !== token) return undefined;
      const waitId = bytes.subarray(SIGNATURE_BYTES);
      const signature = bytes.subarray(0, SIGNATURE_BYTES);
      const isSigned = keys.some((key) => timingSafeEqual(signature, signatureOf(key, waitId)));
      return isSigned ? placeOfWait(waitId.toString()) : undefined;
    },
  };
}

function signatureOf(key: Uint8Array, waitId: Uint8Array): Uint8Array {
  return createHmac('sha256', key).update(waitId).digest().subarray(0, SIGNATURE_BYTES);
}
