import { createHash, timingSafeEqual } from 'node:crypto';

/** Compares in a time that says nothing about either text, its length included. */
export function isSameSecret(given: unknown, expected: string): boolean {
  return typeof given === 'string' && timingSafeEqual(digest(given), digest(expected));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
