import { NodeError } from '@deckhand/engine';
import { contentCodings } from '@deckhand/runtime';
import { type Duplex, pipeline, Readable } from 'node:stream';
import { promisify, types } from 'node:util';
import {
  brotliDecompress,
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  gunzip,
  inflate,
  inflateRaw,
} from 'node:zlib';

/** The codings that can be decoded below: the request's accept-encoding. */
export const ACCEPT_ENCODING = 'gzip, deflate, br';
/** Maximum number of nested codings of one response: more are an attack. */
const MAX_CODINGS = 5;

const unzip = { gzip: promisify(gunzip), zlib: promisify(inflate), raw: promisify(inflateRaw) };
const unbrotli = promisify(brotliDecompress);

/**
 * Reads a body to its end and decompresses it.
 * @param encoding the content-encoding header.
 * @param hold is called with the number of bytes held, and throws when they are not available.
 * @param maxBytes a longer body, before or after decompression, fails with RESPONSE_TOO_LARGE as soon as it exceeds
 * that.
 * @throws NodeError also HTTP_RESPONSE_INVALID for a coding that was not asked for; the stream's or the decompressor's
 * error.
 */
export async function readBody(
  body: Readable,
  encoding: string | undefined,
  { maxBytes, hold }: { maxBytes: number; hold: (bytes: number) => void },
): Promise<Uint8Array> {
  let bytes = await collect(body, { maxBytes, hold });
  const codings = contentCodings(encoding);
  if (codings.length > MAX_CODINGS) throw invalidEncoding(`${codings.length} codings`);
  for (const coding of codings.reverse()) {
    // A response to HEAD names codings, but has no body.
    if (bytes.byteLength > 0) bytes = await decompress(coding, bytes, maxBytes);
    hold(bytes.byteLength);
  }
  return bytes;
}

/**
 * Returns a body as it is decompressed while it is read. Ending early ends the body; one that is refused is left to its
 * owner.
 * @throws NodeError HTTP_RESPONSE_INVALID for a coding that was not asked for.
 */
export function decodedBody(body: AsyncIterable<Uint8Array>, encoding: string | undefined): AsyncIterable<Uint8Array> {
  const codings = contentCodings(encoding);
  if (codings.length > MAX_CODINGS) throw invalidEncoding(`${codings.length} codings`);
  return codings.reverse().reduce<AsyncIterable<Uint8Array>>((content, coding) => decoded(coding, content), body);
}

async function* decoded(
  coding: string,
  content: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  // Without a decoder, nobody needs its error when the body is ended.
  const source = Readable.from(content, { objectMode: false }).on('error', () => undefined);
  let decoder: Duplex | undefined;
  // A response to HEAD names codings, but has no body.
  for await (const first of source.iterator({ destroyOnReturn: false })) {
    if (!(first instanceof Uint8Array)) throw new TypeError('a body is read as bytes');
    source.unshift(first);
    decoder = decoderOf(coding, first[0] ?? 0);
    break;
  }
  if (!decoder) return;
  // The decoder fails with the error of its source.
  pipeline(source, decoder, () => undefined);
  yield* decoder;
}

function decoderOf(coding: string, firstByte: number): Duplex {
  const lenient = { finishFlush: constants.Z_SYNC_FLUSH };
  switch (coding) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip(lenient);
    case 'deflate':
      return isWrapped(firstByte) ? createInflate(lenient) : createInflateRaw(lenient);
    case 'br':
      return createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH });
  }
  throw invalidEncoding(coding);
}

/** Some servers leave out the wrapper of `deflate`, whose first byte always ends in 8. */
function isWrapped(firstByte: number): boolean {
  return (firstByte & 0x0f) === 8;
}

async function collect(
  body: Readable,
  { maxBytes, hold }: { maxBytes: number; hold: (bytes: number) => void },
): Promise<Uint8Array> {
  let bytes = Buffer.alloc(0);
  let length = 0;
  for await (const chunk of body) {
    if (!(chunk instanceof Uint8Array)) throw new TypeError('a body is read as bytes');
    const end = length + chunk.byteLength;
    // Leaving the loop destroys the body, and with it the connection.
    if (end > maxBytes) throw tooLarge(maxBytes);
    // Copied, not kept: a body may come in chunks of one byte, each of which occupies a hundred.
    if (end > bytes.length) bytes = grown(bytes, Math.min(maxBytes, Math.max(end, 2 * bytes.length)));
    hold(bytes.length);
    bytes.set(chunk, length);
    length = end;
  }
  return bytes.subarray(0, length);
}

function grown(bytes: Buffer, length: number): Buffer<ArrayBuffer> {
  const larger = Buffer.allocUnsafe(length);
  larger.set(bytes);
  return larger;
}

async function decompress(coding: string, bytes: Uint8Array, maxBytes: number): Promise<Uint8Array> {
  // As browsers do: the transport detects a truncated response, so a missing trailer is not an error.
  const lenient = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: maxBytes };
  try {
    switch (coding) {
      case 'gzip':
      case 'x-gzip':
        return await unzip.gzip(bytes, lenient);
      case 'deflate':
        return await (isWrapped(bytes[0] ?? 0) ? unzip.zlib : unzip.raw)(bytes, lenient);
      case 'br':
        return await unbrotli(bytes, { finishFlush: constants.BROTLI_OPERATION_FLUSH, maxOutputLength: maxBytes });
    }
  } catch (error) {
    if (types.isNativeError(error) && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE')
      throw tooLarge(maxBytes);
    throw error;
  }
  throw invalidEncoding(coding);
}

function tooLarge(maxBytes: number): NodeError {
  return new NodeError('RESPONSE_TOO_LARGE', `the answer is longer than ${maxBytes} bytes`, { isRetryable: false });
}

function invalidEncoding(encoding: string): NodeError {
  const message = `the answer's content-encoding (${encoding}) is not one of ${ACCEPT_ENCODING}`;
  return new NodeError('HTTP_RESPONSE_INVALID', message, { isRetryable: false });
}
