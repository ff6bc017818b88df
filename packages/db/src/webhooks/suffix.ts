import { randomBytes } from 'node:crypto';

/** Random bytes in a webhook's URL, which is the only protection of a webhook without a secret. */
const SUFFIX_BYTES = 18;

/** Generates a URL suffix: 24 characters that need no escaping. */
export function createSuffix(): string {
  return randomBytes(SUFFIX_BYTES).toString('base64url');
}
