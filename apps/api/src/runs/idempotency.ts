import { createHash } from 'node:crypto';
import { validationFailed } from '@deckhand/contracts';
import type { IdempotencyKey } from '@deckhand/db';
import type { Request } from 'express';
import { configure } from 'safe-stable-stringify';

/** Visible ASCII. */
const KEY = /^[\x21-\x7e]{1,255}$/;

/** Serializes JSON with its members in a fixed order. */
const canonical = configure({ deterministic: true, circularValue: Error });

/**
 * Reads the `Idempotency-Key` of a request, and hashes what the request asks for.
 * @param asked the parsed request.
 * @returns undefined without the header.
 * @throws DeckhandError VALIDATION_FAILED if the key is empty, too long or not visible ASCII.
 */
export function readIdempotencyKey(request: Request, asked: unknown): IdempotencyKey | undefined {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || !KEY.test(key)) {
    throw validationFailed([{ path: 'Idempotency-Key', message: 'must be 1 to 255 visible ASCII characters' }]);
  }
  return {
    key,
    bodyHash: createHash('sha256')
      .update(canonical(asked) ?? '')
      .digest('hex'),
  };
}
