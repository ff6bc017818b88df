import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy';
import { type DeckhandError, type JsonObject, type JsonValue, validationFailed } from '@deckhand/contracts';
import { nextSlice } from '@deckhand/runtime';
import { Fields } from './form.js';

/** Parts of one body at most. */
const PARTS_MAX = 1_000;
/** How much of a body is parsed before others have their turn, in bytes. */
const SLICE_BYTES = 256 * 1024;

/**
 * Parses a multipart form (RFC 7578): fields are texts, files `{ filename, contentType, bytes, base64 }`; a name that
 * comes again has a list.
 * @throws DeckhandError VALIDATION_FAILED for what is no such form, or has too many parts.
 */
export function parseMultipart(bytes: Buffer, contentType: string): Promise<JsonValue> {
  return new Promise((resolve, reject) => {
    const fields = new Fields<string | JsonObject>();
    const fail = (error: unknown): void => reject(toFault(error));
    let parser: BusboyInstance;
    try {
      // The body is in memory already, so nothing in it can be larger than may be.
      const limits = { parts: PARTS_MAX, fieldSize: bytes.length, fieldNameSize: 1_000 };
      parser = new Busboy({ headers: { 'content-type': contentType }, limits });
    } catch (error) {
      fail(error);
      return;
    }
    parser.on('field', (name, value) => fields.add(nameOf(name), value));
    parser.on('file', (name, stream, filename, _encoding, type) => {
      gather(stream, (content) => {
        const file = { filename: filename || '', contentType: type, bytes: content.length };
        fields.add(nameOf(name), { ...file, base64: content.toString('base64') });
      });
    });
    const ended = new AbortController();
    const end = (error: unknown): void => {
      ended.abort();
      fail(error);
    };
    parser.on('partsLimit', () => end(new Error(`has more than ${PARTS_MAX} parts`)));
    parser.on('error', end);
    parser.on('finish', () => resolve(fields.toObject()));
    writeInSlices(parser, bytes, ended.signal).catch(fail);
  });
}

/** Gives a parser its bytes, until it has ended. */
async function writeInSlices(parser: BusboyInstance, bytes: Buffer, ended: AbortSignal): Promise<void> {
  for (let start = 0; start < bytes.length && !ended.aborted; start += SLICE_BYTES) {
    if (start > 0) await nextSlice();
    parser.write(bytes.subarray(start, start + SLICE_BYTES));
  }
  if (!ended.aborted) parser.end();
}

/** A part without a name is kept under none. */
function nameOf(name: string | undefined): string {
  return name ?? '';
}

function gather(stream: BusboyFileStream, done: (content: Buffer) => void): void {
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  // What is cut off is told by the parser.
  stream.on('error', () => undefined);
  stream.on('end', () => done(Buffer.concat(chunks)));
}

function toFault(error: unknown): DeckhandError {
  const reason = error instanceof Error ? error.message : 'it cannot be read';
  return validationFailed([{ path: 'body', message: `is no multipart form: ${reason}` }]);
}
