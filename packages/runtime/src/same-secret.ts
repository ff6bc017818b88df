import { createHash, timingSafeEqual } from 'node:crypto';

/** Compares two secrets in constant time, which reveals neither their contents nor their lengths. */
export function isSameSecret(given: unknown, expected: string): boolean {
  return typeof given === 'string' && timingSafeEqual(digest(given), digest(expected));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
