import { createHash } from 'node:crypto';

/**
 * Derives a UUIDv7 from its arguments alone, so that a repeated request gets the same id.
 * @param time ms since the epoch.
 * @param seed replaces the random part.
 */
export function derivedId(time: number, seed: string): string {
  const hash = createHash('sha256').update(seed).digest('hex');
  const hex = time.toString(16).padStart(12, '0');
  const variant = ((Number.parseInt(hash.charAt(3), 16) & 0x3) | 0x8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7${hash.slice(0, 3)}-${variant}${hash.slice(4, 7)}-${hash.slice(7, 19)}`;
}

/** Returns the id of the run that a node starts. @param idempotencyKey that of the node. */
export function childIdOf(parentExecutionId: string, idempotencyKey: string): string {
  return derivedId(timeOfId(parentExecutionId), idempotencyKey);
}

/** Returns the time in a UUIDv7, in ms since the epoch. */
function timeOfId(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}
