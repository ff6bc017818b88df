import { parse } from 'content-type';
import type { Request } from 'express';
import { DeckhandError, validationFailed } from '@deckhand/contracts';
import { contentCodings } from '@deckhand/runtime';
import { checkData, checkJson, parseJsonBody } from './json-body.ts';
import { networkOf } from './caller-address.ts';

/** Maximum size of a JSON body in bytes, unless a route takes definitions or data. */
const MAX_BODY_BYTES = 1024 * 1024;

/** Maximum size of a JSON body with a definition, or with data for a run, in bytes. */
export const MAX_DATA_BODY_BYTES = 10 * 1024 * 1024;

/** Maximum size of a body from an anonymous caller, in bytes. */
export const MAX_ANONYMOUS_BODY_BYTES = 16 * 1024;

/**
 * Reads the JSON body of a request. Routes call it after authentication, so that anonymous callers cannot make the
 * service read megabytes.
 * @returns undefined if there is no body or it is empty.
 * @throws DeckhandError PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, INVALID_JSON; VALIDATION_FAILED for JSON that cannot
 * be stored or costs too much (`parseJsonBody`).
 */
export async function readBody(request: Request, bytesMax = MAX_BODY_BYTES): Promise<unknown> {
  return read(request, bytesMax, checkJson);
}

/** The same for data of a run, in which half surrogate pairs may stay. @throws DeckhandError as `readBody`. */
export async function readDataBody(request: Request): Promise<unknown> {
  return read(request, MAX_DATA_BODY_BYTES, checkData);
}

async function read(request: Request, bytesMax: number, check: typeof checkJson): Promise<unknown> {
  const bytes = await readUtf8(request, bytesMax);
  return bytes && parseJsonBody(bytes, check);
}

/** A body of which a part may be data of runs. */
export interface MixedBody {
  readonly value: unknown;
  /** Checks a part that is not data of runs. @throws DeckhandError VALIDATION_FAILED for half a surrogate pair. */
  readonly check: (part: unknown) => void;
}

/** Reads a body of which a part may be data of runs: the caller checks the rest. @throws DeckhandError as `readBody` */
export async function readMixedBody(request: Request): Promise<MixedBody> {
  let source = '';
  const value = await read(request, MAX_DATA_BODY_BYTES, (body, text) => {
    checkData(body, text);
    source = text;
  });
  return { value, check: (part) => checkJson(part, source) };
}

/** A body that is a list of data for runs. */
export interface ListBody {
  readonly items: readonly unknown[];
  /** @throws DeckhandError VALIDATION_FAILED for an item that cannot be stored. */
  readonly check: (item: unknown) => void;
}

/**
 * Reads a JSON body that is a list, whose items are checked one by one.
 * @throws DeckhandError as `readBody`; VALIDATION_FAILED for another type, and for an empty or too long list.
 */
export async function readListBody(
  request: Request,
  { maxItems, maxBytes }: { readonly maxItems: number; readonly maxBytes: number },
): Promise<ListBody> {
  const bytes = await readUtf8(request, maxBytes);
  let source = '';
  const items = bytes && (await parseJsonBody(bytes, (_value, text) => (source = text)));
  if (!Array.isArray(items)) throw validationFailed([{ path: '', message: 'must be an array' }]);
  if (items.length === 0 || items.length > maxItems) {
    throw validationFailed([{ path: '', message: `must have 1 to ${maxItems} items, and has ${items.length}` }]);
  }
  return { items, check: (item) => checkData(item, source) };
}

/** Returns the bytes of a body in UTF-8; undefined if there is none or it is empty. */
async function readUtf8(request: Request, bytesMax: number): Promise<Buffer | undefined> {
  const length = request.headers['content-length'];
  if (length === '0' || (length === undefined && request.headers['transfer-encoding'] === undefined)) return undefined;
  requireUtf8(request);
  const bytes = await readBytes(request, bytesMax);
  return bytes.length === 0 ? undefined : bytes;
}

/** Reads an optional JSON body. No body is `{}`, while `null` is a value like any other. */
export async function readOptionalBody(request: Request, bytesMax = MAX_BODY_BYTES): Promise<unknown> {
  return orEmpty(await readBody(request, bytesMax));
}

/** Reads an optional JSON body with data for a run. */
export async function readOptionalDataBody(request: Request): Promise<unknown> {
  return orEmpty(await readDataBody(request));
}

function orEmpty(body: unknown): unknown {
  return body === undefined ? {} : body;
}

const UTF8_CHARSETS: readonly (string | undefined)[] = [undefined, 'utf-8', 'utf8', 'us-ascii'];

/** Accepts every media type, because bodies are always read as JSON. Only the encoding has to be UTF-8. */
function requireUtf8(request: Request): void {
  const isEncoded = contentCodings(request.headers['content-encoding']).length > 0;
  const { charset } = parse(request.headers['content-type'] ?? '').parameters;
  if (UTF8_CHARSETS.includes(charset?.toLowerCase()) && !isEncoded) return;
  // Discards the body, so that the caller receives the response.
  request.resume();
  throw new DeckhandError('UNSUPPORTED_MEDIA_TYPE');
}

/** Maximum number of bytes of large bodies in the memory of the process. */
const MAX_HELD_BYTES = 134_217_728;
/** Shorter bodies are not counted, in bytes. */
const COUNTED_BYTES_MIN = 65_536;
const RETRY_AFTER_SECONDS = 2;

/** A large body whose request has no response yet. */
interface HeldBody {
  readonly network: string;
  bytes: number;
  /** Refuses the body. Undefined once it is complete, because a complete request is served. */
  refuse: ((error: DeckhandError) => void) | undefined;
}

/** Returns whether a body is a large one, which others have less memory for until the response. */
export function isLarge(body: Buffer): boolean {
  return body.length >= COUNTED_BYTES_MIN;
}

const bodies = new Map<Request, HeldBody>();
let heldBytes = 0;

/**
 * Reads the body of a request. Bytes beyond the limit are discarded as they arrive, so that the caller receives the
 * response, which does not wait for them.
 * @returns an empty buffer for a request without a body.
 * @throws DeckhandError PAYLOAD_TOO_LARGE, before anything is read if `Content-Length` is too large;
 * SERVICE_UNAVAILABLE if large bodies use up the memory of the process.
 */
export async function readBytes(request: Request, bytesMax: number): Promise<Buffer> {
  const length = request.headers['content-length'];
  if (length === '0' || (length === undefined && request.headers['transfer-encoding'] === undefined)) {
    return Buffer.alloc(0);
  }
  if (Number(length) > bytesMax) throw tooLarge(request, bytesMax);
  return gather(request, bytesMax);
}

function tooLarge(request: Request, bytesMax: number): DeckhandError {
  request.resume();
  return new DeckhandError('PAYLOAD_TOO_LARGE', { details: { bytesMax } });
}

function gather(request: Request, bytesMax: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = [];
    let size = 0;
    let isRefused = false;
    const refuse = (error: DeckhandError): void => {
      isRefused = true;
      chunks = [];
      reject(error);
    };
    request.on('data', (chunk: Buffer) => {
      if (isRefused) return;
      size += chunk.length;
      if (size > bytesMax) {
        refuse(tooLarge(request, bytesMax));
        return;
      }
      chunks.push(chunk);
      holdBody(request, size, refuse);
    });
    let isComplete = false;
    request.on('end', () => {
      isComplete = true;
      completeBody(request);
      resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks));
    });
    request.on('error', reject);
    // Also if the connection broke before the listeners were added: no other event would report it.
    const abort = (): void => {
      // Every request closes at its end, and creating an error captures a stack.
      if (!isComplete) reject(new Error('caller disconnected'));
    };
    request.on('close', abort);
    if (request.destroyed) abort();
  });
}

/**
 * Counts the received bytes of a body until its request has a response. If all large bodies together exceed the limit,
 * the largest incomplete body of the network that sends the most is refused. So a caller that sends slowly, or much at
 * the same time, locks nobody else out.
 * @param refuse called if this body is refused.
 */
function holdBody(request: Request, bytes: number, refuse: (error: DeckhandError) => void): void {
  if (bytes < COUNTED_BYTES_MIN) return;
  let body = bodies.get(request);
  if (!body) {
    body = { network: networkOf(request.ip ?? ''), bytes: 0, refuse };
    bodies.set(request, body);
    request.res?.once('close', () => {
      release(request);
    });
  }
  heldBytes += bytes - body.bytes;
  body.bytes = bytes;
  while (heldBytes > MAX_HELD_BYTES && bodies.has(request)) giveUpLargest();
}

/** Marks a body as complete. It still counts, but is not refused any more. */
function completeBody(request: Request): void {
  const body = bodies.get(request);
  if (body) body.refuse = undefined;
}

function giveUpLargest(): void {
  const unfinished = [...bodies].filter(([, { refuse }]) => refuse !== undefined);
  const byNetwork = new Map<string, number>();
  for (const [, { network, bytes }] of unfinished) byNetwork.set(network, (byNetwork.get(network) ?? 0) + bytes);
  const most = Math.max(...byNetwork.values());
  const theirs = unfinished.filter(([, { network }]) => byNetwork.get(network) === most);
  const largest = theirs.reduce((found, one) => (one[1].bytes > found[1].bytes ? one : found));
  release(largest[0]);
  largest[1].refuse?.(
    new DeckhandError('SERVICE_UNAVAILABLE', {
      message: 'Too many bytes are being sent at the same time: send the request again later',
      headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) },
    }),
  );
}

function release(request: Request): void {
  heldBytes -= bodies.get(request)?.bytes ?? 0;
  bodies.delete(request);
}
