import { randomBytes } from 'node:crypto';

/** Bytes of randomness in a webhook's URL, which is all that protects a webhook without a secret. */
const SUFFIX_BYTES = 18;

/** A new URL suffix: 24 characters that need no escaping. */
export function createSuffix(): string {
  return randomBytes(SUFFIX_BYTES).toString('base64url');
}
