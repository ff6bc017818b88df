import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy';
import { parse } from 'content-type';
import { DeckhandError, type FileValue, type JsonObject, mediaTypeOf } from '@deckhand/contracts';
import type { FileStore } from '@deckhand/outputs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Fields } from './form.ts';
import { BINARY } from './payload.ts';
import { MAX_PARTS, nameOf, toIssue } from './multipart.ts';
import type { PayloadType } from './trigger-settings.ts';

/** A body whose files are stored. */
export interface StoredBody {
  /** Its bytes as they come. */
  readonly content: AsyncIterable<Uint8Array>;
  readonly contentType: string;
  readonly workspaceId: string;
  readonly files: Pick<FileStore, 'save'>;
  /** Maximum size of the body, in bytes. */
  readonly maxBytes: number;
  /** Maximum size of all fields of a form that are no files, in bytes. */
  readonly maxFieldBytes: number;
}

/** How long a file is kept until a run names it, in minutes. A refused request leaves its files to this time. */
const KEPT_MINUTES = 50;
/** Longest name of a field, in characters. */
const MAX_FIELD_NAME = 1_000;

/** Returns how a body is stored; undefined for one without files. Only its type counts: its bytes are still to come. */
export function storedShape(contentType: string, payloadType: PayloadType): 'binary' | 'multipart' | undefined {
  const { type } = parse(contentType, { parameters: false });
  if (type === 'multipart/form-data') return payloadType === 'auto' || payloadType === 'form' ? 'multipart' : undefined;
  return payloadType === 'binary' || (payloadType === 'auto' && BINARY.test(type)) ? 'binary' : undefined;
}

/**
 * Stores a binary body while it comes.
 * @throws DeckhandError PAYLOAD_TOO_LARGE; FileError.
 */
export async function storeBinary(body: StoredBody): Promise<FileValue> {
  return save(body, within(body), '', body.contentType);
}

/**
 * Parses a multipart form while it comes. Fields are as `parseMultipart` has them, files become values.
 * @throws DeckhandError VALIDATION_FAILED, PAYLOAD_TOO_LARGE; FileError.
 */
export async function storeMultipart(body: StoredBody): Promise<JsonObject> {
  const entries: { readonly name: string; readonly value: string | Promise<FileValue> }[] = [];
  /** Files that are not stored yet. All but the last one have come completely. */
  const pending = new Set<Promise<FileValue>>();
  const streams = new Set<BusboyFileStream>();
  let failure: Error | undefined;
  let fieldBytes = 0;
  const parser = createParser(body);
  const fail = (error: unknown): void => {
    failure ??= error instanceof Error ? error : new Error(String(error));
    parser.destroy();
    // One whose end never comes would be waited for.
    for (const stream of streams) stream.destroy();
  };
  parser.on('field', (name, value, _nameIsCut, isCut) => {
    fieldBytes += Buffer.byteLength(value);
    if (isCut || fieldBytes > body.maxFieldBytes) fail(tooLarge(body.maxFieldBytes));
    else entries.push({ name: nameOf(name), value });
  });
  parser.on('file', (name, stream: BusboyFileStream, fileName, _encoding, type) => {
    streams.add(stream);
    // Such as one that the body ends in.
    stream.once('error', (error) => fail(toIssue(error)));
    const value = save(body, stream, fileName || '', type);
    entries.push({ name: nameOf(name), value });
    pending.add(value);
    value.then(() => {
      pending.delete(value);
      streams.delete(stream);
    }, fail);
  });
  parser.on('partsLimit', () => fail(toIssue(new Error(`has more than ${MAX_PARTS} parts`))));
  /** Parses no more before the files that have come are stored: they would pile up in memory. */
  async function* inTurns(): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const chunk of within(body)) {
      yield chunk;
      while (pending.size > 1 && failure === undefined) await Promise.race(pending);
    }
  }
  try {
    await pipeline(Readable.from(inTurns(), { objectMode: false }), parser);
  } catch (error) {
    fail(error instanceof DeckhandError ? error : toIssue(error));
  }
  await Promise.allSettled(pending);
  if (failure !== undefined) throw failure;
  const fields = new Fields<string | JsonObject>();
  for (const { name, value } of entries) fields.add(name, await value);
  return fields.toObject();
}

function createParser({ contentType, maxFieldBytes }: StoredBody): BusboyInstance {
  try {
    const limits = { parts: MAX_PARTS, fieldSize: maxFieldBytes, fieldNameSize: MAX_FIELD_NAME };
    return new Busboy({ headers: { 'content-type': contentType }, limits });
  } catch (error) {
    throw toIssue(error);
  }
}

function save(
  { files, workspaceId }: StoredBody,
  content: AsyncIterable<Uint8Array>,
  name: string,
  contentType: string,
): Promise<FileValue> {
  return files.save(content, {
    workspaceId,
    name,
    contentType: mediaTypeOf({ contentType }),
    keptMinutes: KEPT_MINUTES,
  });
}

/** Yields the bytes of a body, up to its limit. */
async function* within({ content, maxBytes }: StoredBody): AsyncGenerator<Uint8Array, void, undefined> {
  let bytes = 0;
  for await (const chunk of content) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    yield chunk;
  }
}

function tooLarge(bytesMax: number): DeckhandError {
  return new DeckhandError('PAYLOAD_TOO_LARGE', { details: { bytesMax } });
}
