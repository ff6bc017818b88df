import {
  fileToSend,
  isBrokenFile,
  isConnectionHeader,
  isJsonObject,
  isRoutingHeader,
  type JsonObject,
  type JsonValue,
  mediaTypeOf,
  storedFileToSend,
} from '@deckhand/contracts';
import { type HttpRequest, NodeError, type NodeFiles } from '@deckhand/engine';
import { encodeText, foreignCharset, UnencodableError } from '@deckhand/runtime';
import { encodeMultipart } from './multipart-form.ts';
import { ACCEPT_ENCODING } from './read-body.ts';

/** A value of a query or header. */
export type Scalar = string | number | boolean;

/** A value of a query; null is left out, so that an expression may omit it. */
export type QueryValue = Scalar | null | readonly (Scalar | null)[];

const FORM = /^application\/x-www-form-urlencoded\b/i;
const MULTIPART_FORM = /^multipart\/form-data\b/i;
const MULTIPART = /^multipart\//i;

/** Returns true for an absolute http or https address. */
export function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

/**
 * The address to send to, and the credentials that it names, as a header.
 * @param query is added to the address's own query, which stays as it was written: it may be signed.
 * @throws NodeError PARAMETERS_INVALID
 */
export function requestUrl(
  text: string,
  query: Readonly<Record<string, QueryValue>> = {},
): { url: URL; authorization: string | undefined } {
  if (!isHttpUrl(text)) throw invalid('url', 'must be an absolute http or https address');
  const url = new URL(text);
  const added = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) =>
      [value].flat().flatMap((one): [string, string][] => (one === null ? [] : [[name, String(one)]])),
    ),
  ).toString();
  if (added !== '') url.search += `${url.search === '' ? '' : '&'}${added}`;
  const { username, password } = url;
  url.username = '';
  url.password = '';
  if (username === '' && password === '') return { url, authorization: undefined };
  const credentials = Buffer.from(`${unescaped(username)}:${unescaped(password)}`).toString('base64');
  return { url, authorization: `Basic ${credentials}` };
}

/**
 * The headers to send: a credential's over the given ones over the defaults.
 * @throws NodeError PARAMETERS_INVALID
 */
export function requestHeaders(
  given: Readonly<Record<string, Scalar | null>> = {},
  {
    idempotencyKey,
    idempotencyHeader = 'idempotency-key',
    authorization,
    secret,
  }: {
    idempotencyKey: string;
    idempotencyHeader?: string | undefined;
    authorization: string | undefined;
    secret?: { name: string; value: string } | undefined;
  },
): Headers {
  if (isRoutingHeader(idempotencyHeader))
    throw invalid('headers', `of the idempotency key: ${idempotencyHeader} belongs to the connection`);
  const headers = new Headers({
    [idempotencyHeader]: idempotencyKey,
    accept: '*/*',
    'accept-encoding': ACCEPT_ENCODING,
    'user-agent': 'Deckhand',
  });
  if (authorization !== undefined) headers.set('authorization', authorization);
  for (const [name, value] of Object.entries(given)) {
    if (value === null) continue;
    if (isConnectionHeader(name)) throw invalid(`headers.${name}`, 'belongs to the connection');
    try {
      headers.set(name, String(value));
    } catch {
      throw invalid(`headers.${name}`, 'is not a header: its name or value has characters that none may have');
    }
  }
  if (secret) setSecret(headers, secret);
  return headers;
}

/** A credential wins over a header that was written down. */
function setSecret(headers: Headers, { name, value }: { name: string; value: string }): void {
  if (isRoutingHeader(name)) throw invalid('headers', `of the credential: ${name} belongs to the connection`);
  try {
    headers.set(name, value);
  } catch {
    // Without the value: the runtime's own message holds it.
    throw new NodeError(
      'CREDENTIAL_UNSUITABLE',
      `the credential holds characters that the header ${name} may not have`,
      {
        isRetryable: false,
      },
    );
  }
}

/**
 * Returns the body to send: a string unchanged, an object as a form if the content type is one, a file as its bytes,
 * streamed if it is in the store, other values as JSON, with a content type unless there is one; in the charset of the
 * content type. Null means no body, so that an expression may omit it.
 * @throws NodeError PARAMETERS_INVALID for what the charset cannot express, and for multipart types other than forms;
 * FILE_NOT_FOUND.
 */
export async function requestBody(
  body: JsonValue | undefined,
  headers: Headers,
  files: NodeFiles,
): Promise<HttpRequest['body']> {
  if (body === undefined || body === null) return undefined;
  const contentType = headers.get('content-type') ?? '';
  if (MULTIPART_FORM.test(contentType) && isJsonObject(body)) {
    const form = await encodeMultipart(body, formText, files);
    headers.set('content-type', form.contentType);
    return form.body;
  }
  const file = FORM.test(contentType) ? undefined : fileToSend(body, contentType);
  if (file) {
    if (contentType === '') headers.set('content-type', mediaTypeOf(file));
    return Buffer.from(file.base64, 'base64');
  }
  const stored = FORM.test(contentType) ? undefined : storedFileToSend(body, contentType);
  if (stored) {
    if (contentType === '') headers.set('content-type', mediaTypeOf(stored));
    const { bytes } = await files.open({ file: stored });
    return {
      bytes,
      async *open() {
        yield* (await files.open({ file: stored })).content;
      },
    };
  }
  const isEncoded = foreignCharset(contentType) !== undefined;
  try {
    if (FORM.test(contentType) && isJsonObject(body)) return await encodeForm(body, isEncoded ? contentType : '');
    const text = typeof body === 'string' ? body : jsonText(body, headers);
    // Without another charset, the client encodes the text.
    return isEncoded ? await encodeText(text, contentType) : text;
  } catch (error) {
    if (error instanceof UnencodableError) throw invalid('body', `cannot be sent as ${contentType}: ${error.message}`);
    throw error;
  }
}

function jsonText(body: JsonValue, headers: Headers): string {
  const contentType = headers.get('content-type') ?? '';
  if (contentType === '') headers.set('content-type', 'application/json');
  // Its JSON would arrive as a broken file.
  else if (MULTIPART.test(contentType)) throw invalid('body', `must be a text to be sent as ${contentType}`);
  else if (isBrokenFile(body, contentType)) throw invalid('body', `is not a file that can be sent as ${contentType}`);
  return JSON.stringify(body);
}

/** A field per member, several of one name for a list. */
async function encodeForm(fields: JsonObject, contentType: string): Promise<string> {
  const pairs = Object.entries(fields).flatMap(([name, value]) =>
    [value].flat().map((one): [string, string] => [name, formText(one)]),
  );
  if (contentType === '') return new URLSearchParams(pairs).toString();
  const encoded = pairs.map((pair) => Promise.all(pair.map((text) => percentEncode(text, contentType))));
  return (await Promise.all(encoded)).map((pair) => pair.join('=')).join('&');
}

/** Encodes a part of a form in the charset of its content type (WHATWG URL, 5.2). */
async function percentEncode(text: string, contentType: string): Promise<string> {
  const bytes = (await encodeText(text, contentType)).toString('latin1');
  return bytes
    .replace(/[^A-Za-z0-9*._ -]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)
    .replaceAll(' ', '+');
}

function formText(value: JsonValue): string {
  if (value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function invalid(field: string, message: string): NodeError {
  return new NodeError('PARAMETERS_INVALID', `parameters.${field} ${message}`, { isRetryable: false });
}
