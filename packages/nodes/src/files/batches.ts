import { type FileValue, isJsonObject, type JsonObject, type JsonValue, storedFileOf } from '@deckhand/contracts';
import { type ByteRange, NodeError, type NodeFiles } from '@deckhand/engine';
import { charsetOf, nextSlice } from '@deckhand/runtime';
import Type from 'typebox';
import { checkResultLength } from '../text/limit.ts';
import { decoderFor, fileSource, readBytes, readText } from './file-source.ts';
import { LongRowError, splitRows } from './split-rows.ts';

/** Maximum size of a batch in bytes, and of a row: so that a batch can be parsed at once. */
const MAX_BATCH_BYTES = 2_097_152;
const MAX_ROW_BYTES = 4_194_304;
/** Enough for a byte order mark. */
const MARK_BYTES = 3;
/** Charsets in which bytes of ASCII characters also stand for parts of others. */
const NOT_DIVISIBLE = /^(?:utf-16|iso-2022-jp)/;
/** Charsets whose second bytes may be those of ASCII digits, letters and signs such as `|`. */
const SHARED_BYTES = /^(?:shift_jis|gbk|gb18030|big5|euc-kr)$/;
const SHARED = /[\d@-\x7f]/;

/** How many rows a batch has. */
export const RowsParameter = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: 100_000,
    default: 1_000,
    description: 'For `split`: rows of a batch; one of 2 MB has fewer',
  }),
);

/** A range of rows of a stored file. */
interface Batch {
  readonly file: FileValue;
  readonly range: ByteRange;
  /** Number of bytes of the header at the start of the file; 0 without one. */
  readonly headerBytes: number;
}

/** Returns the batch of rows that a value names; undefined for a whole file. @throws NodeError PARAMETERS_INVALID. */
function batchOf(value: JsonValue | undefined): Batch | undefined {
  if (value === undefined || !isJsonObject(value) || value.from === undefined) return undefined;
  const { file, from, until, headerBytes } = value;
  const stored = file === undefined ? undefined : storedFileOf({ file });
  if (!stored || !isOffset(from) || !isOffset(until) || !isOffset(headerBytes)) {
    throw new NodeError('PARAMETERS_INVALID', 'parameters.file is not a batch of rows', { isRetryable: false });
  }
  return { file: { file: stored }, range: { from, until }, headerBytes };
}

function isOffset(value: JsonValue | undefined): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

/**
 * Reads the text of a file, or of a batch of its rows with the header.
 * @throws NodeError TEXT_TOO_LARGE, PARAMETERS_INVALID, FILE_NOT_FOUND.
 */
export async function readRowsText(
  value: JsonValue | undefined,
  files: NodeFiles,
  charset: string | undefined,
): Promise<string> {
  const batch = batchOf(value);
  if (!batch) return readText(fileSource(value, files), charset);
  const source = fileSource(batch.file, files);
  const header = await readBytes(source, MAX_ROW_BYTES, { from: 0, until: Math.max(batch.headerBytes, MARK_BYTES) });
  const known = charset ?? charsetOf(header, source.contentType);
  const ranges = [{ from: 0, until: batch.headerBytes }, batch.range];
  const texts = await Promise.all(ranges.map((range) => readText(source, known, range)));
  return texts.join('');
}

/** How a file is divided. */
export interface Division {
  readonly delimiter?: string;
  readonly hasHeader: boolean;
  readonly rows: number;
  readonly charset: string | undefined;
  readonly signal: () => AbortSignal;
}

/**
 * Divides a file into batches of rows, which `readRowsText` reads one by one. The file is read once, a piece at a time.
 * Its bytes never change, so a run that is resumed goes on with exactly the same rows.
 * @throws NodeError PARAMETERS_INVALID; TEXT_TOO_LARGE for a row that is too long; RESULT_TOO_LARGE for too many
 * batches.
 */
export async function listBatches(
  value: JsonValue | undefined,
  files: NodeFiles,
  { delimiter, hasHeader, rows, charset, signal }: Division,
): Promise<JsonObject[]> {
  const file = await storedFile(value, files);
  const source = fileSource(file, files);
  const start = await readBytes(source, MARK_BYTES, { from: 0, until: MARK_BYTES });
  const { encoding } = decoderFor(charset ?? charsetOf(start, source.contentType));
  if (NOT_DIVISIBLE.test(encoding)) {
    throw refused(`a file in ${encoding} cannot be split; the text node converts it to UTF-8`);
  }
  const code = delimiter?.charCodeAt(0);
  if (delimiter !== undefined && (delimiter.length > 1 || code === undefined || code > 0x7f)) {
    throw refused('split needs a delimiter of one ASCII character');
  }
  if (delimiter !== undefined && SHARED.test(delimiter) && SHARED_BYTES.test(encoding)) {
    throw refused(`a file in ${encoding} cannot be split by ${delimiter}; the text node converts it to UTF-8`);
  }
  const format = { delimiter: code, hasHeader, rows, bytes: MAX_BATCH_BYTES, maxRowBytes: MAX_ROW_BYTES };
  const batches: JsonObject[] = [];
  let length = 0;
  try {
    for await (const range of splitRows(inTurns((await source.open()).content, signal), format)) {
      const batch = { ...file, ...range };
      length += JSON.stringify(batch).length + 1;
      checkResultLength(length);
      batches.push(batch);
    }
  } catch (error) {
    if (!(error instanceof LongRowError)) throw error;
    const message = `row ${error.row} has more than ${MAX_ROW_BYTES} bytes: is a quote not closed?`;
    throw new NodeError('TEXT_TOO_LARGE', message, { isRetryable: false });
  }
  return batches;
}

/** Returns a stored file: one whose bytes are in the value would be repeated in each batch. */
async function storedFile(value: JsonValue | undefined, files: NodeFiles): Promise<FileValue> {
  const { stored, name, contentType, open } = fileSource(value, files);
  return stored ?? files.save((await open()).content, { name, contentType });
}

/** Yields pieces of a file, and lets other work run between them. */
async function* inTurns(
  content: AsyncIterable<Uint8Array>,
  signal: () => AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const piece of content) {
    yield piece;
    await nextSlice(signal());
  }
}

function refused(message: string): NodeError {
  return new NodeError('PARAMETERS_INVALID', message, { isRetryable: false });
}
