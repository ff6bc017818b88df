import { createHash, randomBytes } from 'node:crypto';

const SECRET_BYTES = 32;
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Number of base62 digits for 32 bytes. */
const KEY_DIGITS = 43;

const KEY_PATTERN = new RegExp(`^dk_[0-9A-Za-z]{${KEY_DIGITS}}$`);
const SESSION_TOKEN_PATTERN = /^[A-Za-z0-9_-]{43}$/;

/** Creates an API key: `dk_` and 32 random bytes in base62. */
export function createApiKeyText(): string {
  let number = BigInt(`0x${randomBytes(SECRET_BYTES).toString('hex')}`);
  let digits = '';
  for (let i = 0; i < KEY_DIGITS; i += 1) {
    digits = BASE62.charAt(Number(number % 62n)) + digits;
    number /= 62n;
  }
  return `dk_${digits}`;
}

/** Creates 32 random bytes: the token of a session, the secret of a browser, a state, a nonce or a proof. */
export function createSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

/** Returns the part of a key that lists show. */
export function keyPrefix(key: string): string {
  return key.slice(0, 10);
}

/** Returns the SHA-256 in hex, which is stored of a key or token. They have full entropy, so no slow hash is needed. */
export function hashSecret(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** True for a text that could be an API key. */
export function isApiKeyText(text: string): boolean {
  return KEY_PATTERN.test(text);
}

/** True for a text that could be a session token. */
export function isSessionToken(text: string): boolean {
  return SESSION_TOKEN_PATTERN.test(text);
}
