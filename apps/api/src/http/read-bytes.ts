import type { Request } from 'express';
import { DeckhandError } from '@deckhand/contracts';
import { networkOf } from './network-of.ts';

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

const bodies = new Map<Request, HeldBody>();
let heldBytes = 0;

/**
 * Reads the body of a request. Bytes beyond the limit are discarded as they arrive, so that the caller receives the
 * response, which does not wait for them.
 * @returns no bytes if there is no body.
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
