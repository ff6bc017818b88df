import type { Request } from 'express';
import { DeckhandError } from '@deckhand/contracts';
import { completeBody, holdBody } from './body-memory.js';

/**
 * Reads a request's body as it was sent. What is too much is thrown away as it comes, so that the caller gets to see
 * the answer, which does not wait for it.
 * @returns no bytes when there is no body.
 * @throws DeckhandError PAYLOAD_TOO_LARGE, before anything is read when the request says how long its body is;
 * SERVICE_UNAVAILABLE when too much is being sent at once.
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
    let isWhole = false;
    request.on('end', () => {
      isWhole = true;
      completeBody(request);
      resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks));
    });
    request.on('error', reject);
    // Also when it broke before anybody listened: then nothing else would be heard of it.
    const breakOff = (): void => {
      // Each request is closed at its end, and an error costs its stack.
      if (!isWhole) reject(new Error('the caller went away'));
    };
    request.on('close', breakOff);
    if (request.destroyed) breakOff();
  });
}
