import { NodeError } from '@deckhand/engine';
import type { Readable } from 'node:stream';

/** Number of requests that may continue one body. */
const MAX_RESUMPTIONS = 10;
/** A date is as good as a strong validator if it is so much older than the response, in ms (RFC 9110, 8.8.2.2). */
const DATE_IS_STRONG_AFTER_MS = 60_000;

/** A response whose body comes in the meantime. */
export interface IncomingResponse {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readable;
}

/** The body of a response, which is continued by further requests when it breaks off. */
export interface ResumedBody {
  readonly content: AsyncIterable<Uint8Array>;
  /** Ends the connection, also when `content` was not read to its end. */
  readonly destroy: () => void;
}

/**
 * Returns the body of a response. If it breaks off, and the server can send the rest of exactly this content, the rest
 * is requested, at most ten times, as long as each request brings some bytes. The content is never one of two versions:
 * a response that is not exactly the rest ends it with the error that broke it off.
 * @param request.rest sends the request again with further headers.
 */
export function resumedBody(
  first: IncomingResponse,
  request: {
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly signal: AbortSignal;
    readonly rest: (headers: Readonly<Record<string, string>>) => Promise<IncomingResponse>;
  },
): ResumedBody {
  const whole = resumableContent(request, first);
  let { body } = first;
  let isOver = false;

  /** Returns the body of a response with the rest; undefined if the server sends anything else. */
  async function restFrom({ bytes, validator }: ResumableContent, from: number): Promise<Readable | undefined> {
    const headers = { range: `bytes=${from}-`, 'if-range': validator };
    const response = await request.rest(headers).catch(() => undefined);
    if (!response) return undefined;
    const isRest =
      response.status === 206 &&
      response.headers['content-range'] === `bytes ${from}-${bytes - 1}/${bytes}` &&
      ['etag', 'last-modified', 'content-encoding'].every((name) => isSame(name, first, response));
    if (isRest && !isOver) return response.body;
    discard(response.body);
    return undefined;
  }

  async function* content(): AsyncGenerator<Uint8Array, void, undefined> {
    let pieces = piecesOf(body);
    let at = 0;
    let resumptions = 0;
    let resumedAt = -1;
    for (;;) {
      let piece: IteratorResult<Uint8Array, void>;
      try {
        piece = await pieces.next();
        if (piece.done === true && whole && at < whole.bytes) throw new Error('the body ended before its length');
      } catch (error) {
        const mayResume = whole && !isOver && !request.signal.aborted && resumptions < MAX_RESUMPTIONS;
        if (!mayResume || at === resumedAt || at >= whole.bytes) throw error;
        const rest = await restFrom(whole, at);
        if (!rest) throw error;
        body = rest;
        pieces = piecesOf(rest);
        resumptions += 1;
        resumedAt = at;
        continue;
      }
      if (piece.done === true) return;
      at += piece.value.byteLength;
      if (whole && at > whole.bytes) throw tooLong(whole.bytes);
      yield piece.value;
    }
  }

  return {
    content: content(),
    destroy() {
      isOver = true;
      discard(body);
    },
  };
}

/** Content of which any range can be requested. */
interface ResumableContent {
  /** Its length, as it is transferred. */
  readonly bytes: number;
  /** What `If-Range` compares: an entity tag, or a date. */
  readonly validator: string;
}

function resumableContent(
  { method, headers }: { readonly method: string; readonly headers: Readonly<Record<string, string>> },
  { status, headers: received }: IncomingResponse,
): ResumableContent | undefined {
  const isPart = Object.keys(headers).some((name) => ['range', 'if-range'].includes(name.toLowerCase()));
  const bytes = Number(received['content-length'] ?? Number.NaN);
  if (method !== 'GET' || isPart || status !== 200 || received['accept-ranges'] !== 'bytes') return undefined;
  const validator = validatorOf(received);
  return Number.isSafeInteger(bytes) && validator !== undefined ? { bytes, validator } : undefined;
}

/** Returns a validator that changes with every byte; undefined without one. */
function validatorOf({ etag, date, 'last-modified': modified }: IncomingResponse['headers']): string | undefined {
  if (etag !== undefined) return /^"[^"]*"$/.test(etag) ? etag : undefined;
  const age = Date.parse(date ?? '') - Date.parse(modified ?? '');
  return age >= DATE_IS_STRONG_AFTER_MS ? modified : undefined;
}

/** Returns whether the rest has the same header. A 206 may leave out what `If-Range` has compared, but not a coding. */
function isSame(name: string, first: IncomingResponse, rest: IncomingResponse): boolean {
  const value = rest.headers[name];
  return value === first.headers[name] || (value === undefined && name !== 'content-encoding');
}

async function* piecesOf(body: Readable): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const piece of body) {
    if (!(piece instanceof Uint8Array)) throw new TypeError('a body is read as bytes');
    yield piece;
  }
}

/** A body that is refused before its end would keep its connection. */
function discard(body: Readable): void {
  body.on('error', () => undefined).destroy();
}

function tooLong(bytes: number): NodeError {
  return new NodeError('HTTP_REQUEST_FAILED', `the server sent more than the ${bytes} bytes that it announced`);
}
