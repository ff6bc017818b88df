import { isUtf8 } from 'node:buffer';
import { parse } from 'content-type';
import { type JsonObject, type JsonValue, validationFailed } from '@deckhand/contracts';
import { charsetOf, foreignCharset } from '@deckhand/runtime';
import { checkData, parseJsonBody } from '../http/json-body.ts';
import { parseForm } from './form.ts';
import { parseMultipart } from './multipart.ts';
import type { PayloadType } from './trigger-settings.ts';

type Shape = Exclude<PayloadType, 'auto'> | 'multipart' | 'unknown text';

/** Matches binary media types, even if a body happens to be valid UTF-8. */
export const BINARY = /^(?:(?:image|audio|video|font)\/|application\/(?:octet-stream|pdf|zip|gzip)$)/;

/**
 * Parses a body by its payload type. A missing body is null; `{}` for a form and "" for text.
 * @param contentType the Content-Type of the request; "" if there is none.
 * @throws DeckhandError INVALID_JSON; VALIDATION_FAILED for text that is invalid in its charset, for an invalid form,
 * and for JSON that cannot be stored or costs too much.
 */
export async function parsePayload(
  bytes: Buffer,
  { contentType, payloadType }: { contentType: string; payloadType: PayloadType },
): Promise<JsonValue> {
  switch (shapeOf(bytes, contentType, payloadType)) {
    case 'json':
      return bytes.length === 0 ? null : parseJsonBody(toUtf8(bytes, contentType), checkData);
    case 'form':
      return bytes.length === 0 ? {} : parseEncodedForm(bytes, contentType);
    case 'multipart':
      return bytes.length === 0 ? {} : parseMultipart(bytes, contentType);
    case 'unknown text':
      return decode(bytes, 'utf-8');
    case 'text':
      return decode(bytes, charsetOf(bytes, contentType));
    case 'binary':
      return payloadType === 'auto' && bytes.length === 0 ? null : toBinary(bytes, contentType);
  }
}

/** Returns a binary body in the form that runs get. */
function toBinary(bytes: Buffer, contentType: string): JsonObject {
  return { base64: bytes.toString('base64'), contentType, bytes: bytes.length };
}

/** Returns true for text that PostgreSQL can store. */
function isText(bytes: Buffer): boolean {
  return isUtf8(bytes) && !bytes.includes(0);
}

/** Returns the body as it was sent: as a string if PostgreSQL can store that, otherwise in binary form. */
export function toRawBody(bytes: Buffer, contentType: string): JsonValue {
  return isText(bytes) ? bytes.toString('utf8') : toBinary(bytes, contentType);
}

function shapeOf(bytes: Buffer, contentType: string, payloadType: PayloadType): Shape {
  const { type } = parse(contentType, { parameters: false });
  const isMultipart = type === 'multipart/form-data';
  if (payloadType === 'form') return isMultipart ? 'multipart' : 'form';
  if (payloadType !== 'auto') return payloadType;
  if (isMultipart) return 'multipart';
  if (type === 'application/json' || type.endsWith('+json')) return 'json';
  if (type === 'application/x-www-form-urlencoded') return 'form';
  if (type.startsWith('text/') || type === 'application/xml' || type.endsWith('+xml')) return 'text';
  return !BINARY.test(type) && bytes.length > 0 && isText(bytes) ? 'unknown text' : 'binary';
}

function parseEncodedForm(bytes: Buffer, contentType: string): JsonValue {
  const charset = foreignCharset(contentType);
  if (charset === undefined) return parseForm(decode(bytes, 'utf-8'));
  return parseForm(bytes.toString('latin1'), (text) => decode(Buffer.from(text, 'latin1'), charset));
}

/** Returns JSON in UTF-8, whatever its byte order mark and its content type say that it is in. */
function toUtf8(bytes: Buffer, contentType: string): Buffer {
  const charset = charsetOf(bytes, contentType);
  return /^utf-?8$/i.test(charset) ? bytes : Buffer.from(decode(bytes, charset));
}

/** Decodes text, and drops its byte order mark. */
function decode(bytes: Buffer, charset: string): string {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes);
  } catch (error) {
    // A RangeError is about the charset itself (WHATWG Encoding, 7.1).
    const message = error instanceof RangeError ? `has an unknown charset: ${charset}` : `is not ${charset}`;
    throw validationFailed([{ path: 'body', message }]);
  }
}
