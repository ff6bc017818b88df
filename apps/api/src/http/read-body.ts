import type { Request } from 'express';
import { DeckhandError } from '@deckhand/contracts';
import { parseJsonBody } from './parse-json-body.js';
import { readBytes } from './read-bytes.js';

/** Largest JSON body, in bytes, unless a route takes definitions or data. */
const BODY_BYTES_MAX = 1024 * 1024;

/** Largest JSON body of definitions and of data that runs are given. */
export const DATA_BODY_BYTES_MAX = 10 * 1024 * 1024;

/** Largest body before anybody is signed in. */
export const OPEN_BODY_BYTES_MAX = 16 * 1024;

/**
 * Reads a request's JSON body. Called by a route after authentication, so that nobody makes the service read megabytes
 * who may not use it.
 * @returns undefined when there is no body or it is empty.
 * @throws DeckhandError PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, INVALID_JSON; VALIDATION_FAILED for JSON that cannot
 * be kept or costs too much (`parseJsonBody`).
 */
export async function readBody(request: Request, bytesMax = BODY_BYTES_MAX): Promise<unknown> {
  const length = request.headers['content-length'];
  if (length === '0' || (length === undefined && request.headers['transfer-encoding'] === undefined)) return undefined;
  requireUtf8(request);
  const bytes = await readBytes(request, bytesMax);
  if (bytes.length === 0) return undefined;
  return parseJsonBody(bytes);
}

/** Reads a JSON body that may be left out: nothing is `{}`, while `null` is a value like any other. */
export async function readOptionalBody(request: Request, bytesMax = BODY_BYTES_MAX): Promise<unknown> {
  const body = await readBody(request, bytesMax);
  return body === undefined ? {} : body;
}

/** A charset that is said to be another than UTF-8. */
const OTHER_CHARSET = /;\s*charset\s*=\s*"?(?!(?:utf-?8|us-ascii)"?\s*(?:;|$))/i;

/** Every body is read as JSON, whatever its media type; only its bytes have to be those of UTF-8. */
function requireUtf8(request: Request): void {
  const encoding = request.headers['content-encoding'] ?? 'identity';
  const isOther = OTHER_CHARSET.test(request.headers['content-type'] ?? '');
  if (!isOther && encoding.toLowerCase() === 'identity') return;
  // What is not read is thrown away, so that the caller gets to see the answer.
  request.resume();
  throw new DeckhandError('UNSUPPORTED_MEDIA_TYPE');
}
