import { NodeError } from '@deckhand/engine';
import { Readable } from 'node:stream';
import { types } from 'node:util';
import type { Entry, RandomAccessReader, ZipFile } from 'yauzl';
import { type FileSource, limitReached, readBytes } from './file-source.ts';

/** Maximum number of entries of an archive: reading each takes a step. */
const MAX_ENTRIES = 20_000;
/** How much is read at once of the list of entries, in bytes: an entry takes some 100. */
const WINDOW_BYTES = 1_048_576;

/** An entry of an archive. */
export interface ZipEntry {
  /** With `/` between folders; it never leads out of the archive. Folders end with it. */
  readonly name: string;
  /** As the archive says; reading other numbers of bytes fails. */
  readonly bytes: number;
  readonly compressedBytes: number;
  readonly modifiedAt: Date;
  /** Opens its decompressed content. @throws NodeError FILE_INVALID, also while it is read. */
  readonly open: () => Promise<AsyncIterable<Uint8Array>>;
}

/**
 * Reads the entries of a zip archive one by one, where they are: nothing is held but a window of the list.
 * @throws NodeError FILE_INVALID, also for names that lead out of the archive; FILE_LIMIT for more than 20,000 entries;
 * the errors of the file.
 */
export async function* readZip(source: FileSource): AsyncGenerator<ZipEntry, void, undefined> {
  try {
    const zip = await openZip(source);
    if (zip.entryCount > MAX_ENTRIES) throw limitReached(`has more than ${MAX_ENTRIES} entries`);
    for await (const entry of zip.eachEntry()) yield toEntry(zip, entry);
  } catch (error) {
    throw toNodeError(error);
  }
}

async function openZip(source: FileSource): Promise<ZipFile> {
  const { fromRandomAccessReaderPromise, RandomAccessReader } = await import('yauzl');
  // The library takes readers that extend a class of its own, which is loaded on first use.
  class Reader extends RandomAccessReader {
    #from = 0;
    #window: Buffer = Buffer.alloc(0);

    override read(
      buffer: Buffer,
      offset: number,
      length: number,
      position: number,
      done: (error: Error | null) => void,
    ): void {
      this.#load(position, length).then(
        () => {
          this.#window.copy(buffer, offset, position - this.#from, position - this.#from + length);
          done(null);
        },
        (error: unknown) => done(error instanceof Error ? error : new Error(String(error))),
      );
    }

    override _readStreamForRange(from: number, until: number): Readable {
      return Readable.from(piecesOf(source, from, until), { objectMode: false });
    }

    async #load(position: number, length: number): Promise<void> {
      if (position >= this.#from && position + length <= this.#from + this.#window.length) return;
      const until = position + Math.max(length, WINDOW_BYTES);
      this.#window = await readBytes(source, until - position, { from: position, until });
      this.#from = position;
      if (this.#window.length < length) throw new Error('the archive is incomplete');
    }
  }
  const reader: RandomAccessReader = new Reader();
  const { bytes } = await source.open();
  return fromRandomAccessReaderPromise(reader, bytes, { autoClose: false });
}

async function* piecesOf(source: FileSource, from: number, until: number): AsyncGenerator<Uint8Array> {
  yield* (await source.open({ from, until })).content;
}

function toEntry(zip: ZipFile, entry: Entry): ZipEntry {
  return {
    name: entry.fileName,
    bytes: entry.uncompressedSize,
    compressedBytes: entry.compressedSize,
    modifiedAt: entry.getLastModDate(),
    async open() {
      try {
        if (entry.isEncrypted()) throw new Error(`${entry.fileName} is encrypted`);
        return readEntry(await zip.openReadStreamPromise(entry));
      } catch (error) {
        throw toNodeError(error);
      }
    },
  };
}

async function* readEntry(content: Readable): AsyncGenerator<Uint8Array> {
  try {
    for await (const piece of content) if (piece instanceof Uint8Array) yield piece;
  } catch (error) {
    throw toNodeError(error);
  }
}

/** What the library throws is about the archive; the file has errors of its own. */
function toNodeError(error: unknown): unknown {
  if (error instanceof NodeError) return error;
  const reason = types.isNativeError(error) ? error.message : String(error);
  return new NodeError('FILE_INVALID', `the file is not a zip archive that can be read: ${reason}`, {
    isRetryable: false,
  });
}
