import { createHash } from 'node:crypto';
import { IDEMPOTENCY_KEY_PATTERN, validationFailed } from '@deckhand/contracts';
import type { IdempotencyKey } from '@deckhand/db';
import type { Request } from 'express';
import { configure } from 'safe-stable-stringify';

const KEY = new RegExp(IDEMPOTENCY_KEY_PATTERN);

/** Serializes JSON with its members in a fixed order. */
const canonical = configure({ deterministic: true, circularValue: Error });

/**
 * Reads the `Idempotency-Key` of a request, and hashes what the request asks for.
 * @param asked the parsed request.
 * @returns undefined without the header.
 * @throws DeckhandError VALIDATION_FAILED if the key is empty, too long or not visible ASCII.
 */
export function readIdempotencyKey(request: Request, asked: unknown): IdempotencyKey | undefined {
  const key = readKeyHeader(request);
  return key === undefined ? undefined : toIdempotencyKey(key, asked);
}

/** Reads the header alone. @throws DeckhandError VALIDATION_FAILED as above. */
export function readKeyHeader(request: Request): string | undefined {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || !KEY.test(key)) {
    throw validationFailed([{ path: 'Idempotency-Key', message: 'must be 1 to 255 visible ASCII characters' }]);
  }
  return key;
}

/** Returns a key with the hash of what its request asks for. */
export function toIdempotencyKey(key: string, asked: unknown): IdempotencyKey {
  return {
    key,
    bodyHash: createHash('sha256')
      .update(canonical(asked) ?? '')
      .digest('hex'),
  };
}
