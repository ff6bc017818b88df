import { createHash } from 'node:crypto';
import { validationFailed } from '@deckhand/contracts';
import type { IdempotencyKey } from '@deckhand/db';
import type { Request } from 'express';
import { configure } from 'safe-stable-stringify';

/** Visible ASCII. */
const KEY = /^[\x21-\x7e]{1,255}$/;

/** The same text for the same JSON, whatever the order of its members. */
const canonical = configure({ deterministic: true, circularValue: Error });

/**
 * The request's `Idempotency-Key`, with what it stands for.
 * @param asked what the request asks for, as parsed.
 * @returns undefined without the header.
 * @throws DeckhandError VALIDATION_FAILED when the key is empty, too long or not visible ASCII.
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
