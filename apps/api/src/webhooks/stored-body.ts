import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy';
import { parse } from 'content-type';
import { DeckhandError, extensionFor, type FileValue, type JsonObject, mediaTypeOf } from '@deckhand/contracts';
import type { FileStore, StagedFile } from '@deckhand/outputs';
import { Readable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
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
  readonly files: Pick<FileStore, 'save' | 'stage' | 'keep'>;
  /** Maximum size of the body, in bytes. */
  readonly maxBytes: number;
  /** Maximum size of all fields of a form that are not files, in bytes. */
  readonly maxFieldBytes: number;
  /** Decides about each file of a form; by default all are stored. */
  readonly admit?: (file: FileOfForm) => FileLimit | undefined;
}

/** A file of a form, whose bytes are still to come. */
export interface FileOfForm {
  readonly field: string;
  readonly name: string;
  readonly contentType: string;
}

/** Up to which size a file of a form is stored. One that is larger, or has no limit, is left out of the form. */
export interface FileLimit {
  readonly maxBytes: number;
  readonly onExcess: () => void;
}

/** A form whose files are stored. */
export interface StoredForm {
  readonly fields: JsonObject;
  /** Leaves the files to the sweep that no run names yet. */
  readonly discard: () => Promise<void>;
}

/** How long a file is kept until a run names it, in minutes. */
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
 * Stores a binary body while it comes, with a name by its type.
 * @throws DeckhandError PAYLOAD_TOO_LARGE; FileError.
 */
export async function storeBinary(body: StoredBody): Promise<FileValue> {
  const { files, workspaceId } = body;
  const contentType = mediaTypeOf(body);
  const name = `body${extensionFor(contentType)}`;
  return files.save(within(body), { workspaceId, name, contentType, keptMinutes: KEPT_MINUTES });
}

/**
 * Parses a multipart form while it comes. Fields are as `parseMultipart` has them, files become values. Files of a form
 * that is refused are discarded.
 * @throws DeckhandError VALIDATION_FAILED, PAYLOAD_TOO_LARGE; FileError.
 */
export async function storeMultipart(body: StoredBody): Promise<StoredForm> {
  const entries: { readonly name: string; readonly value: string | Promise<StagedFile | undefined> }[] = [];
  /** Files that are not stored yet. All but the last one have come completely. */
  const pending = new Set<Promise<StagedFile | undefined>>();
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
    const file = { field: nameOf(name), name: fileName || '', contentType: mediaTypeOf({ contentType: type }) };
    const limit = body.admit ? body.admit(file) : { maxBytes: Infinity, onExcess: () => undefined };
    const value = limit ? stageWithin(body, stream, file, limit) : skip(stream);
    entries.push({ name: file.field, value });
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
  const discard = async (): Promise<void> => {
    // The last one first: of equal files, each brings back what was before it. What cannot be discarded is swept later.
    for (const { value } of entries.toReversed()) {
      const [stored] = await Promise.allSettled([value]);
      if (stored.status === 'rejected' || typeof stored.value !== 'object') continue;
      await Promise.allSettled([stored.value.discard()]);
    }
  };
  if (failure !== undefined) {
    await discard();
    throw failure;
  }
  const fields = new Fields<string | JsonObject>();
  const stored: FileValue[] = [];
  for (const { name, value } of entries) {
    const entry = await value;
    if (typeof entry === 'object') stored.push(entry.value);
    if (entry !== undefined) fields.add(name, typeof entry === 'string' ? entry : entry.value);
  }
  // The first ones may have come long before the last one.
  if (stored.length > 1 && !(await body.files.keep(body.workspaceId, stored, KEPT_MINUTES))) {
    await discard();
    throw toIssue(new Error('took so long that a file of it expired: send it again, or fewer files'));
  }
  return { fields: fields.toObject(), discard };
}

/** A file of a form is larger than it may be. */
class FileExcess extends Error {
  override readonly name = 'FileExcess';
}

/** Stores a file of a form. @returns undefined for one that is too large, the rest of which is skipped. */
async function stageWithin(
  { files, workspaceId }: StoredBody,
  stream: Readable,
  { name, contentType }: FileOfForm,
  { maxBytes, onExcess }: FileLimit,
): Promise<StagedFile | undefined> {
  async function* limited(): AsyncGenerator<Uint8Array, void, undefined> {
    let bytes = 0;
    const chunks: AsyncIterable<Uint8Array> = stream.iterator({ destroyOnReturn: false });
    for await (const chunk of chunks) {
      bytes += chunk.byteLength;
      if (bytes > maxBytes) throw new FileExcess();
      yield chunk;
    }
  }
  try {
    return await files.stage(limited(), { workspaceId, name, contentType, keptMinutes: KEPT_MINUTES });
  } catch (error) {
    if (!(error instanceof FileExcess)) throw error;
    onExcess();
    return skip(stream);
  }
}

/** Discards what comes of a file, so that the form is parsed to its end. */
async function skip(stream: Readable): Promise<undefined> {
  await finished(stream.resume(), { writable: false }).catch(() => undefined);
}

function createParser({ contentType, maxFieldBytes }: StoredBody): BusboyInstance {
  try {
    const limits = { parts: MAX_PARTS, fieldSize: maxFieldBytes, fieldNameSize: MAX_FIELD_NAME };
    return new Busboy({ headers: { 'content-type': contentType }, limits });
  } catch (error) {
    throw toIssue(error);
  }
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
