import { type Credential, isJsonObject, type JsonObject, S3_REGION, s3Endpoint } from '@deckhand/contracts';
import {
  type HttpRequest,
  type HttpResponse,
  NodeError,
  type OpenedCredential,
  type StreamedBody,
} from '@deckhand/engine';
import { retryAfterMs } from '../http/retry-after.ts';
import type { SenderContext } from '../http/sender-context.ts';
import { sendWithinLimits } from '../http/traffic-limits.ts';
import { excerpt } from '../text/limit.ts';
import { parseXml } from '../text/xml-parser.ts';
import { encode, presignedUrl, sha256, signedHeaders, type Signer, UNSIGNED_PAYLOAD, withQuery } from './sign.ts';

/** Maximum length of a response that is not an object, in bytes: a page of 1,000 keys has at most 3 MB. */
const MAX_RESPONSE_BYTES = 4_194_304;

/** Codes of errors that pass though their status is below 500 (Amazon S3, API reference, error responses). */
const RETRYABLE_CODES = new Set([
  'ConditionalRequestConflict',
  'ExpiredToken',
  'IncompleteBody',
  'OperationAborted',
  'RequestTimeout',
  'RequestTimeTooSkewed',
  'SlowDown',
]);
const RETRYABLE_STATUSES = new Set([408, 425, 429]);

/** A credential for an S3-compatible store. */
export type S3Secret = Extract<Credential, { type: 's3' }>['secret'];

/** A request to a store, to a bucket, or to one of its objects. */
export interface S3Request {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** Undefined for a request to the store itself. */
  readonly bucket: string | undefined;
  /** Undefined for a request to the bucket itself. */
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  /** By lower-case name. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | StreamedBody;
  readonly saveBody?: HttpRequest['saveBody'];
}

/** Sends signed requests to one store. */
export interface S3Connection {
  /**
   * Sends a request. @throws NodeError S3_NOT_FOUND, S3_EXISTS, S3_FAILED; those of the HTTP client, RATE_LIMITED and
   * CIRCUIT_OPEN.
   */
  readonly send: (request: S3Request, signal?: AbortSignal) => Promise<HttpResponse>;
  /** Returns a URL that gets an object without a key. */
  readonly link: (bucket: string, key: string, seconds: number) => string;
}

/** Returns the connection of a node to the store of its credential. */
export function connectS3(
  { services, idempotencyKey, signal: nodeSignal, now }: Omit<SenderContext, 'files'>,
  { secret, traffic }: OpenedCredential & { readonly type: 's3' },
): S3Connection {
  let sent = 0;
  const signer = (): Signer => ({ region: S3_REGION, ...secret, now: now() });

  return {
    async send({ method, bucket, key, query = {}, headers = {}, body, saveBody }, signal = nodeSignal()) {
      const url = withQuery(urlOf(secret, bucket, key), query);
      const payloadHash = typeof body === 'object' && 'open' in body ? UNSIGNED_PAYLOAD : sha256(body ?? '');
      const request: HttpRequest = {
        method,
        url: url.href,
        headers: signedHeaders({ method, url, headers }, payloadHash, signer()),
        body,
        followRedirects: false,
        maxResponseBytes: MAX_RESPONSE_BYTES,
        saveBody,
        signal,
      };
      const number = sent;
      sent += 1;
      const ticket = number === 0 ? idempotencyKey : `${idempotencyKey}:${number}`;
      const { answer } = await sendWithinLimits(request, { services, limits: traffic, ticket, mayRest: number === 0 });
      const failed = failureOf(answer, { method, bucket, key }, now());
      if (failed) throw failed;
      return answer;
    },
    link: (bucket, key, seconds) => presignedUrl(urlOf(secret, bucket, key), seconds, signer()).href,
  };
}

/** @throws NodeError PARAMETERS_INVALID for a key that a URL cannot name, and a bucket that a host cannot. */
function urlOf(secret: S3Secret, bucket: string | undefined, key = ''): URL {
  const url = s3Endpoint(secret);
  const path = url.pathname.replace(/\/+$/, '');
  if (bucket === undefined) {
    url.pathname = `${path}/`;
    return url;
  }
  const { endpoint, pathStyle = endpoint !== undefined || bucket.includes('.') } = secret;
  if (!key.isWellFormed() || key.split('/').some((part) => part === '.' || part === '..'))
    throw new NodeError('PARAMETERS_INVALID', 'a key has a part that no URL can have: . or .., or half a character', {
      isRetryable: false,
    });
  const name = key.split('/').map(encode).join('/');
  if (!pathStyle) {
    const host = `${bucket}.${url.hostname}`;
    url.hostname = host;
    // A name that is not valid is ignored, and upper case is lost: the request would be for another bucket, or none.
    if (url.hostname !== host) {
      const message = `the bucket ${bucket} cannot be part of the host ${host}: set pathStyle of the credential`;
      throw new NodeError('PARAMETERS_INVALID', message, { isRetryable: false });
    }
  }
  url.pathname = pathStyle ? `${path}/${encode(bucket)}/${name}` : `${path}/${name}`;
  return url;
}

/** Returns the members of the root element of a response. @throws NodeError S3_FAILED if it has another one. */
export function membersOf({ body }: HttpResponse, root: string): JsonObject {
  const found = rootOf(body);
  if (found?.[0] === root) return found[1];
  throw new NodeError('S3_FAILED', `the response of the store is not XML with a ${root}`);
}

/** Returns the text of a member; undefined if there is none. */
export function textOf(members: JsonObject, name: string): string | undefined {
  const value = members[name];
  return typeof value === 'string' ? value : undefined;
}

function rootOf(body: Uint8Array): readonly [name: string, members: JsonObject] | undefined {
  let parsed: unknown;
  try {
    parsed = parseXml(Buffer.from(body).toString('utf8').trim());
  } catch {
    return undefined;
  }
  if (typeof parsed !== 'object' || parsed === null) return undefined;
  const [name = '', members] = Object.entries(parsed).find(([element]) => !element.startsWith('?')) ?? [];
  const value: unknown = members;
  if (isJsonObject(value)) return [name, value];
  return value === '' ? [name, {}] : undefined;
}

/** The failure of a response: by its status, or by an error after a status that was sent too early. */
function failureOf(
  response: HttpResponse,
  { method, bucket, key }: Pick<S3Request, 'method' | 'bucket' | 'key'>,
  now: number,
): NodeError | undefined {
  const { status, headers, body } = response;
  const root = status >= 300 || (method !== 'GET' && body.byteLength > 0) ? rootOf(body) : undefined;
  const members = root?.[0] === 'Error' ? root[1] : undefined;
  if (status < 300 && !members) return undefined;
  const code = (members && textOf(members, 'Code')) ?? '';
  const said = (members && textOf(members, 'Message')) ?? '';
  const target = [bucket, key].filter((part) => part !== undefined).join('/');
  const region = headers['x-amz-bucket-region'];
  const hint = status === 301 && region !== undefined ? `the bucket is in the region ${region}` : said;
  const message = excerpt([`${method} ${target}: ${status}`, code, hint].filter(Boolean).join(' '));
  const details = { status, code };
  if (status === 404) return new NodeError('S3_NOT_FOUND', message, { isRetryable: false, details });
  if (status === 412) return new NodeError('S3_EXISTS', message, { isRetryable: false, details });
  const passes = status < 300 || status >= 500 || RETRYABLE_STATUSES.has(status) || RETRYABLE_CODES.has(code);
  return new NodeError('S3_FAILED', message, {
    isRetryable: passes && status !== 501,
    minRetryDelayMs: retryAfterMs(headers, now),
    details,
  });
}
