import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy';
import { type DeckhandError, type JsonObject, type JsonValue, validationFailed } from '@deckhand/contracts';
import { nextSlice } from '@deckhand/runtime';
import { Fields } from './form.ts';

/** Maximum number of parts in a body. */
export const MAX_PARTS = 1_000;
/** How many bytes of a body are parsed before other work gets to run. */
const SLICE_BYTES = 256 * 1024;

/**
 * Parses a multipart form (RFC 7578). Fields become strings, files `{ filename, contentType, bytes, base64 }`. A name
 * that occurs more than once has a list.
 * @throws DeckhandError VALIDATION_FAILED for an invalid form, and for too many parts.
 */
export function parseMultipart(bytes: Buffer, contentType: string): Promise<JsonValue> {
  return new Promise((resolve, reject) => {
    const fields = new Fields<string | JsonObject>();
    const fail = (error: unknown): void => reject(toIssue(error));
    let parser: BusboyInstance;
    try {
      // The body is in memory already, so the sizes of its parts need no limits.
      const limits = { parts: MAX_PARTS, fieldSize: bytes.length, fieldNameSize: 1_000 };
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
    parser.on('partsLimit', () => end(new Error(`has more than ${MAX_PARTS} parts`)));
    parser.on('error', end);
    parser.on('finish', () => resolve(fields.toObject()));
    writeInSlices(parser, bytes, ended.signal).catch(fail);
  });
}

/** Writes the bytes to a parser in slices, until it has ended. */
async function writeInSlices(parser: BusboyInstance, bytes: Buffer, ended: AbortSignal): Promise<void> {
  for (let start = 0; start < bytes.length && !ended.aborted; start += SLICE_BYTES) {
    if (start > 0) await nextSlice();
    parser.write(bytes.subarray(start, start + SLICE_BYTES));
  }
  if (!ended.aborted) parser.end();
}

/** Returns the name of a part; "" if it has none. */
export function nameOf(name: string | undefined): string {
  return name ?? '';
}

function gather(stream: BusboyFileStream, done: (content: Buffer) => void): void {
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  // The parser reports truncated parts.
  stream.on('error', () => undefined);
  stream.on('end', () => done(Buffer.concat(chunks)));
}

/** Returns the error for a body that is not a multipart form. */
export function toIssue(error: unknown): DeckhandError {
  const reason = error instanceof Error ? error.message : 'it cannot be read';
  return validationFailed([{ path: 'body', message: `is not a multipart form: ${reason}` }]);
}
