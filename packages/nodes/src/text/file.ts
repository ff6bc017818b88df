import { isJsonObject, type JsonValue } from '@deckhand/contracts';

/** Returns true for a file as webhooks and `http` nodes return it: `{ base64, contentType, bytes }`. */
export function isFile(value: JsonValue): boolean {
  return isJsonObject(value) && typeof value.base64 === 'string' && typeof value.contentType === 'string';
}
