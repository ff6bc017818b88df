import { createHmac, timingSafeEqual } from 'node:crypto';
import type { SecretBox } from './secret-box.ts';

/**
 * Signs results of runs that are passed on through Redis: somebody who can write there must not decide what callers
 * get. Whoever cannot verify a result reads it from the database.
 */
export interface ResultSignatures {
  /** Returns a result with its signature, as base64url. */
  sign(executionId: string, resultJson: string): string;
  /** Returns the result; undefined for any text that was not signed for this run by the present key or an old one. */
  verify(executionId: string, signed: string): string | undefined;
}

/** Names the purpose of the derived keys, and the format. */
const LABEL = 'deckhand result v1';
const SIGNATURE_BYTES = 32;

/** Creates the signer. */
export function createResultSignatures(secretBox: SecretBox): ResultSignatures {
  const keys = secretBox.deriveKeys(LABEL);
  return {
    sign: (executionId, resultJson) =>
      Buffer.concat([signatureOf(keys[0], executionId, resultJson), Buffer.from(resultJson)]).toString('base64url'),
    verify(executionId, signed) {
      const bytes = Buffer.from(signed, 'base64url');
      if (bytes.length <= SIGNATURE_BYTES) return undefined;
      const signature = bytes.subarray(0, SIGNATURE_BYTES);
      const resultJson = bytes.subarray(SIGNATURE_BYTES).toString();
      const isSigned = keys.some((key) => timingSafeEqual(signature, signatureOf(key, executionId, resultJson)));
      return isSigned ? resultJson : undefined;
    },
  };
}

/** HMAC-SHA-256 (RFC 2104) of the id, whose length never varies, and the result. */
function signatureOf(key: Uint8Array, executionId: string, resultJson: string): Uint8Array {
  return createHmac('sha256', key).update(`${executionId} ${resultJson}`).digest();
}
