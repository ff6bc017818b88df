import type { Request } from 'express';
import { DeckhandError } from '@deckhand/contracts';
import { completeBody, holdBody } from './body-memory.ts';

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
