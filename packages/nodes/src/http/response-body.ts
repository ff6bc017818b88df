import type { JsonValue } from '@deckhand/contracts';
import { type HttpResponse, NodeError } from '@deckhand/engine';
import { charsetOf } from '@deckhand/runtime';
import { parseForeignJson } from '../text/limit.ts';

/** How a body is parsed: `auto` follows its content type. */
export type ResponseType = 'auto' | 'json' | 'text' | 'binary';

/** Maximum length of a body that an error quotes, in characters. */
const EXCERPT_CHARACTERS = 200;
/** Matches media types of texts. */
const TEXT =
  /^text\/|[/+](?:xml|yaml)\b|[/](?:x-)?(?:ndjson|jsonl|jsonlines|yaml|toml|csv|sql|sh|graphql|www-form-urlencoded)\b|(?:java|ecma)script/i;
/** Enough bytes for them in any character set. */
const EXCERPT_BYTES = EXCERPT_CHARACTERS * 4;

/**
 * Returns the body as a JSON value: JSON parsed (null when empty), text in its character set, anything else as `{
 * base64, contentType, bytes }`. An invalid body with a JSON content type becomes text, unless JSON was requested.
 * @throws NodeError HTTP_RESPONSE_INVALID; RESULT_TOO_LARGE for JSON of more than can be parsed at once.
 */
export function responseBody({ headers, body }: HttpResponse, responseType: ResponseType): JsonValue {
  const contentType = headers['content-type'] ?? '';
  const kind = responseType === 'auto' ? kindOf(contentType) : responseType;
  if (kind === 'binary') {
    return { base64: Buffer.from(body).toString('base64'), contentType, bytes: body.byteLength };
  }
  const text = decode(body, contentType);
  if (kind === 'text') return text;
  if (text === '') return null;
  try {
    return parseForeignJson(text, 'the answer');
  } catch (cause) {
    if (cause instanceof NodeError) throw cause;
    if (responseType === 'auto') return text;
    throw new NodeError('HTTP_RESPONSE_INVALID', 'the answer is not JSON', { isRetryable: false, cause });
  }
}

/** Returns the body of a response that fails its node. One that does not fit its type is text. */
export function errorBody(response: HttpResponse, responseType: ResponseType): JsonValue {
  try {
    return responseBody(response, responseType);
  } catch {
    return responseBody(response, 'text');
  }
}

/** Returns the beginning of a body on one line, for an error; empty if it is not text. */
export function excerpt({ headers, body }: HttpResponse): string {
  const contentType = headers['content-type'] ?? '';
  if (kindOf(contentType) === 'binary') return '';
  const line = decode(body.subarray(0, EXCERPT_BYTES), contentType)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  // By character, so that no pair of surrogates is cut in two.
  const characters = Array.from(line);
  return characters.length > EXCERPT_CHARACTERS ? `${characters.slice(0, EXCERPT_CHARACTERS).join('')}…` : line;
}

function kindOf(contentType: string): Exclude<ResponseType, 'auto'> {
  if (/[/+]json\b/i.test(contentType)) return 'json';
  return contentType === '' || TEXT.test(contentType) ? 'text' : 'binary';
}

function decode(body: Uint8Array, contentType: string): string {
  try {
    return new TextDecoder(charsetOf(body, contentType)).decode(body);
  } catch {
    return new TextDecoder().decode(body);
  }
}
