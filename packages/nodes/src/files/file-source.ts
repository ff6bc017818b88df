import {
  type FileValue,
  inlineFileOf,
  type JsonObject,
  type JsonValue,
  mediaTypeFor,
  storedFileOf,
  type ValidationIssue,
} from '@deckhand/contracts';
import { type ByteRange, NodeError, type NodeFiles, type OpenedFile } from '@deckhand/engine';
import { charsetOf, encodeText, UnencodableError } from '@deckhand/runtime';
import { extname } from 'node:path';
import { TextDecoder } from 'node:util';
import Type from 'typebox';
import { checkLength } from '../text/limit.ts';

/** Maximum length of a text in a file, in bytes of any charset. */
const MAX_TEXT_BYTES = 20_000_000;
/** What a charset may be, before anything else is known of it. */
const CHARSET = '^[A-Za-z0-9][A-Za-z0-9_.:()-]{0,39}$';

/** A file as a parameter: a value with a stored file, or with its bytes in base64. */
export const FileParameter = (description: string) =>
  Type.Unsafe<JsonValue>({
    type: 'object',
    description: `${description}; usually one expression that returns a file`,
  });

/** Returns a file value for sandbox mode. Nothing is stored under its id. */
export function sampleFile(name: string): JsonObject {
  const id = '00000000-0000-7000-8000-000000000000';
  return { file: { id, name, contentType: mediaTypeFor(name), bytes: 0, sha256: '' } };
}

/** The name of a file that a node writes. */
export const FileNameParameter = (name: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 255, default: name, description: 'For a file: its name' }));

/** The charset of a text in a file. */
export const CharsetParameter = Type.Optional(
  Type.String({
    pattern: CHARSET,
    description:
      'For a file: its charset, such as windows-1252; when it is read, by default that of its byte order mark or media type, otherwise UTF-8',
  }),
);

/** Whether a text becomes a member of the output, or a file. */
export const TargetParameter = Type.Optional(
  Type.Enum(['text', 'file'], { default: 'text', description: 'For `write`: return `{ text }`, or a file' }),
);

/** Checks that an operation has what it reads: `split` a file, `parse` a file or a text. */
export function checkTextSource({ operation, text, file }: JsonObject): ValidationIssue[] {
  if (operation === 'split' && file === undefined) return [{ path: 'file', message: 'is required by split' }];
  const isMissing = operation === 'parse' && text === undefined && file === undefined;
  return isMissing ? [{ path: 'text', message: 'is required by parse' }] : [];
}

/** A file that a node reads, wherever its bytes are. */
export interface FileSource {
  readonly name: string;
  readonly contentType: string;
  /** The stored file; undefined for one whose bytes are in the value. Its length is what somebody wrote. */
  readonly stored: FileValue | undefined;
  /** Opens its bytes, or a range of them, whose length is that of the store. @throws NodeError FILE_NOT_FOUND. */
  readonly open: (range?: ByteRange) => Promise<OpenedFile>;
}

/** Returns the file of a parameter. @throws NodeError PARAMETERS_INVALID if it is not a file. */
export function fileSource(value: JsonValue | undefined, files: NodeFiles, parameter = 'file'): FileSource {
  const stored = storedFileOf(value);
  if (stored) {
    const { name, contentType } = stored;
    const file = { file: stored };
    return { name, contentType, stored: file, open: (range) => files.open(file, range) };
  }
  const inline = value === undefined ? undefined : inlineFileOf(value);
  if (!inline) {
    const found = value === undefined ? 'is required' : 'is not a file';
    throw new NodeError('PARAMETERS_INVALID', `parameters.${parameter} ${found}`, { isRetryable: false });
  }
  const { filename: name = '', contentType } = inline;
  return bytesSource(Buffer.from(inline.base64, 'base64'), { name, contentType });
}

/** Returns bytes in memory as a file. */
export function bytesSource(bytes: Uint8Array, about: Pick<FileSource, 'name' | 'contentType'>): FileSource {
  return {
    ...about,
    stored: undefined,
    open({ from, until } = { from: 0 }) {
      const range = bytes.subarray(from, until);
      return Promise.resolve({ bytes: range.length, content: once(range) });
    },
  };
}

/** Yields bytes in one piece. */
export async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  await Promise.resolve();
  yield bytes;
}

/** Opens a file that is not larger than may be. @throws NodeError FILE_LIMIT; FILE_NOT_FOUND. */
export async function openWithin(source: FileSource, maxBytes: number): Promise<AsyncIterable<Uint8Array>> {
  const { bytes, content } = await source.open();
  if (bytes > maxBytes) throw limitReached(`has more than ${maxBytes} bytes`);
  return content;
}

/** Returns the error of a file that exceeds a limit. */
export function limitReached(reason: string): NodeError {
  return new NodeError('FILE_LIMIT', `the file ${reason}`, { isRetryable: false });
}

/** Reads a file, or a range of it, into memory. @throws NodeError TEXT_TOO_LARGE above `maxBytes`. */
export async function readBytes(source: FileSource, maxBytes: number, range?: ByteRange): Promise<Buffer> {
  const { bytes, content } = await source.open(range);
  if (bytes > maxBytes) {
    throw new NodeError('TEXT_TOO_LARGE', `the file has more than ${maxBytes} bytes`, { isRetryable: false });
  }
  const held = Buffer.allocUnsafe(bytes);
  let length = 0;
  // The store gives as many bytes as it said; any further one does not fit.
  for await (const chunk of content) {
    held.set(chunk, length);
    length += chunk.byteLength;
  }
  return held.subarray(0, length);
}

/**
 * Reads the text of a file, or of a range of it, without its byte order mark.
 * @param charset that of the byte order mark or the media type by default, otherwise UTF-8.
 * @throws NodeError TEXT_TOO_LARGE above 5,000,000 characters; PARAMETERS_INVALID for an unknown charset.
 */
export async function readText(source: FileSource, charset?: string, range?: ByteRange): Promise<string> {
  const bytes = await readBytes(source, MAX_TEXT_BYTES, range);
  return checkLength(decoderFor(charset ?? charsetOf(bytes, source.contentType)).decode(bytes));
}

/** @throws NodeError PARAMETERS_INVALID for an unknown charset. */
export function decoderFor(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset);
  } catch {
    throw new NodeError('PARAMETERS_INVALID', `the charset ${charset} is not known`, { isRetryable: false });
  }
}

/**
 * Stores a text as a file.
 * @param charset UTF-8 by default; other ones are in its media type.
 * @throws NodeError PARAMETERS_INVALID for an unknown charset, or one that lacks a character of the text;
 * FILE_TOO_LARGE, STORAGE_FULL.
 */
export async function saveText(
  files: NodeFiles,
  text: string,
  { name, contentType, charset }: { name: string; contentType: string; charset: string | undefined },
): Promise<FileValue> {
  const labelled = charset === undefined ? contentType : `${contentType}; charset=${charset}`;
  try {
    return await files.save([await encodeText(text, labelled)], { name, contentType: labelled });
  } catch (error) {
    if (!(error instanceof UnencodableError)) throw error;
    throw new NodeError('PARAMETERS_INVALID', error.message, { isRetryable: false });
  }
}

/** Returns a name with another end: `a.tar.gz` and `.zip` make `a.tar.zip`. */
export function withExtension(name: string, extension: string): string {
  const end = extname(name);
  return `${end === '' ? name : name.slice(0, -end.length)}${extension}`;
}
