import { createHmac, timingSafeEqual } from 'node:crypto';
import type { SecretBox } from './secret-box.ts';

/**
 * Signs texts that are passed on or kept in Redis: somebody who can write there must decide neither what callers get
 * nor who gets a key.
 */
export interface Signatures {
  /** Returns a text with its signature, as base64url. @param subject what it is about, such as the id of a run. */
  sign(subject: string, text: string): string;
  /** Returns the text; undefined for any that was not signed for this subject by the present key or an old one. */
  verify(subject: string, signed: string): string | undefined;
}

const SIGNATURE_BYTES = 32;

/**
 * Creates the signer for one purpose. @param label names the purpose, and the format: a text that was signed for one
 * purpose is not accepted for another.
 */
export function createSignatures(secretBox: SecretBox, label: string): Signatures {
  const keys = secretBox.deriveKeys(label);
  return {
    sign: (subject, text) =>
      Buffer.concat([signatureOf(keys[0], subject, text), Buffer.from(text)]).toString('base64url'),
    verify(subject, signed) {
      const bytes = Buffer.from(signed, 'base64url');
      if (bytes.length <= SIGNATURE_BYTES) return undefined;
      const signature = bytes.subarray(0, SIGNATURE_BYTES);
      const text = bytes.subarray(SIGNATURE_BYTES).toString();
      const isSigned = keys.some((key) => timingSafeEqual(signature, signatureOf(key, subject, text)));
      return isSigned ? text : undefined;
    },
  };
}

/** Creates the signer of results of runs for callers that wait. The subject is the id of the run. */
export function createResultSignatures(secretBox: SecretBox): Signatures {
  return createSignatures(secretBox, 'deckhand result v1');
}

/** HMAC-SHA-256 (RFC 2104). The length of the subject is a part of it, so that none runs into its text. */
function signatureOf(key: Uint8Array, subject: string, text: string): Uint8Array {
  return createHmac('sha256', key).update(`${subject.length} ${subject} ${text}`).digest();
}
