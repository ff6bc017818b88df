import { NodeError } from '@deckhand/engine';
import { Readable } from 'node:stream';
import { types } from 'node:util';

/** A file to pack. */
export interface ZippedFile {
  /** With `/` between folders. */
  readonly name: string;
  readonly bytes: number;
  readonly open: () => Promise<AsyncIterable<Uint8Array>>;
}

/**
 * Writes a zip archive, one file after another: none is opened before the one before it is packed.
 * @param modifiedAt the time of its files.
 * @throws NodeError PARAMETERS_INVALID for a name that leads out of the archive; the errors of the files.
 */
export async function* writeZip(
  files: readonly ZippedFile[],
  modifiedAt: Date,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { ZipFile } = await import('yazl');
  const zip = new ZipFile();
  const archive = Readable.from(zip.outputStream);
  const fail = (error: Error): void => {
    archive.destroy(error);
  };
  zip.on('error', fail);
  /** The file that is being packed. */
  let current: Readable | undefined;
  for (const { name, bytes, open } of files) {
    try {
      zip.addReadStreamLazy(name, { mtime: modifiedAt, size: bytes }, (begin) => {
        current = Readable.from(openLate(open), { objectMode: false }).on('error', fail);
        begin(null, current);
      });
    } catch (error) {
      const reason = types.isNativeError(error) ? error.message : String(error);
      throw new NodeError('PARAMETERS_INVALID', `the archive cannot have the name ${name}: ${reason}`, {
        isRetryable: false,
      });
    }
  }
  zip.end();
  try {
    for await (const piece of archive) if (piece instanceof Uint8Array) yield piece;
  } finally {
    current?.destroy();
  }
}

async function* openLate(open: ZippedFile['open']): AsyncGenerator<Uint8Array, void, undefined> {
  yield* await open();
}
