import { createHash } from 'node:crypto';

/** Characters of a message that are read, and those that are kept. */
const READ_CHARS = 2_000;
const KEPT_CHARS = 300;

/** What differs from run to run, in the order in which it is replaced. Each pattern is linear, or bounded. */
const VARIABLE_PARTS: readonly (readonly [RegExp, string])[] = [
  [/\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s"'`<>)\]]+/gi, '<url>'],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '<uuid>'],
  [/\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?\b/g, '<time>'],
  [/"[^"]{0,1000}"|`[^`]{0,1000}`|(?<![\p{L}\p{N}])'[^']{0,200}'(?![\p{L}\p{N}])/gu, '<text>'],
  [/\b0x[0-9a-f]+\b|\b(?=[a-f]{0,40}\d)(?=\d{0,40}[a-f])[0-9a-f]{8,200}\b/gi, '<hex>'],
  [/\d+(?:[.,:]\d+)*/g, '<number>'],
];

/** Returns an error message with placeholders for what differs from run to run, up to 300 characters. */
export function normalizeMessage(message: string): string {
  // PostgreSQL stores no NUL characters.
  const line = message.slice(0, READ_CHARS).replaceAll(/[\s\p{Cc}]+/gu, ' ');
  const normalized = VARIABLE_PARTS.reduce((text, [part, name]) => text.replaceAll(part, name), line);
  return normalized.trim().slice(0, KEPT_CHARS).toWellFormed();
}

/** What runs of a group have in common. */
export interface FailureKind {
  /** Null if no node failed. */
  readonly nodeType: string | null;
  readonly code: string;
  /** Normalized. */
  readonly message: string;
}

/** Returns the fingerprint of a failure. */
export function fingerprintOf({ nodeType, code, message }: FailureKind): string {
  return createHash('sha256')
    .update(JSON.stringify([nodeType, code, message]))
    .digest('hex');
}
