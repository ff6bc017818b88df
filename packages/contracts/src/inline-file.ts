import { storedFileOf, type StoredFile } from './file-value.ts';
import { isJsonObject, type JsonValue } from './json.ts';

/** A small file within JSON, as webhooks and `http` nodes return it: its bytes in base64. */
export interface InlineFile {
  readonly base64: string;
  /** As its sender wrote it, so not always one; "" if there was none. */
  readonly contentType: string;
  readonly bytes?: number;
  readonly filename?: string;
}

const MEMBERS: ReadonlySet<string> = new Set(['base64', 'contentType', 'bytes', 'filename']);
/** Matches what base64 and base64url are made of, in time proportional to the text. */
const BASE64 = /^[\w+/=\s-]*$/;
/** Matches a media type with its parameters (RFC 9110, 8.3.1). */
const MEDIA_TYPE = /^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}(?:;[\t\x20-\x7e]{0,500})?$/;
const JSON_TYPE = /[/+-]json\b/i;
/** What bytes are of which nothing else is known (RFC 2046, 4.5.1). */
const UNKNOWN = 'application/octet-stream';

/** Returns a value as an inline file; undefined if it is anything else, or has members that files do not have. */
export function inlineFileOf(value: JsonValue): InlineFile | undefined {
  if (!isJsonObject(value)) return undefined;
  const { base64, contentType, bytes, filename } = value;
  if (typeof base64 !== 'string' || typeof contentType !== 'string' || !BASE64.test(base64)) return undefined;
  if (Object.keys(value).some((name) => !MEMBERS.has(name))) return undefined;
  return {
    base64,
    contentType,
    ...(typeof bytes === 'number' && { bytes }),
    ...(typeof filename === 'string' && { filename }),
  };
}

/**
 * Returns the file whose bytes are sent for a body; undefined for other bodies, and under a JSON type, which asks for
 * the JSON of the file. @param contentType that of the headers; "" without one.
 */
export function fileToSend(body: JsonValue, contentType: string): InlineFile | undefined {
  return JSON_TYPE.test(contentType) ? undefined : inlineFileOf(body);
}

/** Returns the file of the store whose bytes are sent for a body, like `fileToSend`. */
export function storedFileToSend(body: JsonValue, contentType: string): StoredFile | undefined {
  return JSON_TYPE.test(contentType) ? undefined : storedFileOf(body);
}

/**
 * Returns whether a body is a file in part: with members that files do not have, or without bytes that can be read. Its
 * JSON would arrive as a broken file under a type other than JSON.
 */
export function isBrokenFile(body: JsonValue, contentType: string): boolean {
  if (contentType === '' || JSON_TYPE.test(contentType) || !isJsonObject(body)) return false;
  if (inlineFileOf(body) || storedFileOf(body)) return false;
  if (isJsonObject(body.file)) return typeof body.file.id === 'string' && typeof body.file.sha256 === 'string';
  return typeof body.base64 === 'string' && typeof body.contentType === 'string';
}

/** Returns the media type of a file as a header can have it; `application/octet-stream` for anything else. */
export function mediaTypeOf({ contentType = '' }: { readonly contentType?: string | undefined }): string {
  return MEDIA_TYPE.test(contentType) ? contentType : UNKNOWN;
}
