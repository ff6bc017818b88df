import { NodeError, type Replacing, type SftpEntry, type SftpSession } from '@deckhand/engine';
import { types } from 'node:util';
import type { Attributes, FileEntry, SFTPWrapper } from 'ssh2';
import { excerpt } from '../text/limit.ts';

/** Length of one read or write, in bytes: every server takes as much (SFTP 3, 3). */
const CHUNK_BYTES = 32_768;
/** Length of what is read or written at once, in bytes. */
const PIECE_BYTES = 1_048_576;
/** How many responses to one list may have no entry. */
const MAX_EMPTY_BATCHES = 10;

/** Statuses of SFTP 3, 7. */
const END_OF_FILE = 1;
const NO_SUCH_FILE = 2;
const FAILURE = 4;

/** The part of `mode` that says what an entry is (POSIX). */
const TYPE_MASK = 0o170000;
const TYPES: ReadonlyMap<number, SftpEntry['type']> = new Map([
  [0o100000, 'file'],
  [0o040000, 'folder'],
  [0o120000, 'link'],
]);

/**
 * Creates the operations of a session.
 * @param options.noteContent called with the length of file content that was received.
 */
export function createSession(
  sftp: SFTPWrapper,
  { noteContent }: { readonly noteContent: (bytes: number) => void },
): SftpSession {
  /** Returns whether an entry exists. */
  async function statOf(path: string): Promise<Attributes | undefined> {
    try {
      return await respond<Attributes>(path, (done) => sftp.lstat(path, done));
    } catch (error) {
      if (error instanceof NodeError && error.code === 'SFTP_NOT_FOUND') return undefined;
      throw error;
    }
  }

  /** Reads a chunk to its end, or to that of the file: a server may send less than it was asked for. */
  async function readChunk(path: string, handle: Buffer, from: number): Promise<Buffer> {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    let length = 0;
    while (length < CHUNK_BYTES) {
      const at = length;
      const read = await respond<number>(path, (done) => {
        sftp.read(handle, chunk, at, CHUNK_BYTES - at, from + at, done);
      });
      if (read <= 0) break;
      length += read;
      noteContent(read);
    }
    return chunk.subarray(0, length);
  }

  async function* read(path: string): AsyncGenerator<Uint8Array, void, undefined> {
    const handle = await respond<Buffer>(path, (done) => sftp.open(path, 'r', done));
    try {
      for (let from = 0; ; from += PIECE_BYTES) {
        const starts = Array.from({ length: PIECE_BYTES / CHUNK_BYTES }, (_, at) => from + at * CHUNK_BYTES);
        const chunks = await Promise.all(starts.map((start) => readChunk(path, handle, start)));
        const last = chunks.findIndex(({ length }) => length < CHUNK_BYTES);
        yield Buffer.concat(last === -1 ? chunks : chunks.slice(0, last + 1));
        if (last !== -1) return;
      }
    } finally {
      await settle(path, (done) => sftp.close(handle, done)).catch(() => undefined);
    }
  }

  async function writePiece(path: string, handle: Buffer, piece: Uint8Array, from: number): Promise<void> {
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    const writes: Promise<void>[] = [];
    for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
      const length = Math.min(CHUNK_BYTES, bytes.length - at);
      writes.push(settle(path, (done) => sftp.write(handle, bytes, at, length, from + at, done)));
    }
    await Promise.all(writes);
  }

  async function write(path: string, content: AsyncIterable<Uint8Array>): Promise<number> {
    const handle = await respond<Buffer>(path, (done) => sftp.open(path, 'w', done));
    const pending: Promise<void>[] = [];
    let sentBytes = 0;
    let written = 0;
    try {
      for await (const piece of content) {
        const sent = writePiece(path, handle, piece, written);
        // Its error is thrown below, or with the next pieces.
        sent.catch(() => undefined);
        pending.push(sent);
        written += piece.byteLength;
        sentBytes += piece.byteLength;
        if (sentBytes < PIECE_BYTES) continue;
        await Promise.all(pending.splice(0));
        sentBytes = 0;
      }
      await Promise.all(pending);
    } catch (error) {
      await settle(path, (done) => sftp.close(handle, done)).catch(() => undefined);
      throw error;
    }
    // Some servers report a failed write only here.
    await settle(path, (done) => sftp.close(handle, done));
    return written;
  }

  async function rename(from: string, to: string, replacing: Replacing | undefined): Promise<void> {
    if (!replacing) {
      if (await statOf(to)) throw exists(to);
      await settle(from, (done) => sftp.rename(from, to, done));
      return;
    }
    try {
      await settle(from, (done) => sftp.ext_openssh_rename(from, to, done));
    } catch (error) {
      // The library throws where the server lacks it. The rename of SFTP 3 replaces nothing.
      if (!types.isNativeError(error) || !error.message.startsWith('Server does not support')) throw error;
      await replace(from, to, replacing.aside);
    }
  }

  /** Replaces an entry in steps. What is replaced is kept aside until the other has its path. */
  async function replace(from: string, to: string, aside: string): Promise<void> {
    if (from === to) {
      await respond<Attributes>(from, (done) => sftp.lstat(from, done));
      return;
    }
    const [source, target, kept] = [await statOf(from), await statOf(to), await statOf(aside)];
    // An earlier attempt ended before it could delete what it had set aside.
    if (!source && target && kept) return settle(aside, (done) => sftp.unlink(aside, done));
    if (!source) {
      if (kept) await settle(aside, (done) => sftp.rename(aside, to, done));
      throw new NodeError('SFTP_NOT_FOUND', `${from}: no such file`, { isRetryable: false });
    }
    if (target && typeOf(target) === 'folder')
      throw new NodeError('SFTP_FAILED', `${to} is a folder`, { isRetryable: false });
    if (target) {
      if (kept) await settle(aside, (done) => sftp.unlink(aside, done));
      await settle(to, (done) => sftp.rename(to, aside, done));
    }
    try {
      await settle(from, (done) => sftp.rename(from, to, done));
    } catch (error) {
      if (!target && !kept) throw error;
      await settle(aside, (done) => sftp.rename(aside, to, done)).catch((cause: unknown) => {
        const message = `${from} could not be renamed, and what was at ${to} is at ${aside}`;
        throw new NodeError('SFTP_FAILED', message, { cause, details: { aside } });
      });
      throw error;
    }
    // Whoever runs the same attempt may have deleted it.
    if (target || kept) await remove(aside);
  }

  async function remove(path: string): Promise<boolean> {
    const found = await statOf(path);
    if (!found) return false;
    const isFolder = typeOf(found) === 'folder';
    await settle(path, (done) => (isFolder ? sftp.rmdir(path, done) : sftp.unlink(path, done)));
    return true;
  }

  /** Returns the next entries of an open folder; undefined at its end. */
  async function nextEntries(path: string, handle: Buffer): Promise<FileEntry[] | undefined> {
    try {
      return await respond<FileEntry[]>(path, (done) => sftp.readdir(handle, done));
    } catch (error) {
      if (error instanceof NodeError && error.details?.status === END_OF_FILE) return undefined;
      throw error;
    }
  }

  async function list(path: string, limit: number): ReturnType<SftpSession['list']> {
    const handle = await respond<Buffer>(path, (done) => sftp.opendir(path, done));
    const entries: SftpEntry[] = [];
    let emptyBatches = 0;
    while (entries.length <= limit) {
      const batch = await nextEntries(path, handle);
      if (!batch) break;
      // The library leaves out `.` and `..`, so one is empty in an empty folder.
      emptyBatches += batch.length === 0 ? 1 : 0;
      if (emptyBatches > MAX_EMPTY_BATCHES) throw violation(path, 'lists without an entry');
      for (const entry of batch) entries.push(toEntry(path, entry));
    }
    await settle(path, (done) => sftp.close(handle, done));
    const isComplete = entries.length <= limit;
    return { entries: entries.slice(0, limit).sort((a, b) => (a.name < b.name ? -1 : 1)), isComplete };
  }

  async function makeFolder(path: string): Promise<void> {
    const parts = path.split('/');
    for (let count = 1; count <= parts.length; count += 1) {
      const folder = parts.slice(0, count).join('/');
      if (folder === '' || (await statOf(folder))) continue;
      await settle(folder, (done) => sftp.mkdir(folder, done)).catch(async (error: unknown) => {
        // Somebody else may have made it meanwhile.
        if (!(await statOf(folder))) throw error;
      });
    }
    const made = await respond<Attributes>(path, (done) => sftp.stat(path, done));
    if (typeOf(made) !== 'folder') throw exists(path);
  }

  return {
    list,
    read,
    write,
    rename,
    makeFolder,
    remove,
    async sizeOf(path) {
      return (await respond<Attributes>(path, (done) => sftp.stat(path, done))).size;
    },
  };
}

function typeOf({ mode = 0 }: Partial<Attributes>): SftpEntry['type'] {
  return TYPES.get(mode & TYPE_MASK) ?? 'other';
}

/** An entry as a server sends it, which may leave out attributes. */
interface SentEntry {
  readonly filename: string;
  readonly attrs: Partial<Attributes>;
}

/** @throws NodeError SFTP_FAILED for what cannot be the name of an entry. */
function toEntry(path: string, { filename: name, attrs }: SentEntry): SftpEntry {
  if (name === '' || /[/\0]/.test(name)) throw violation(path, 'a name that no entry can have');
  const { size: bytes = 0, mtime } = attrs;
  const modifiedAt = mtime === undefined ? null : new Date(mtime * 1_000).toISOString();
  return { name, type: typeOf(attrs), bytes, modifiedAt };
}

/** Sends a request that has a response. @throws NodeError SFTP_NOT_FOUND, SFTP_FAILED; the error of the connection. */
function respond<T>(
  path: string,
  send: (done: (error: Error | null | undefined, value: T) => void) => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    send((error, value) => {
      if (error) reject(toFailure(path, error));
      else resolve(value);
    });
  });
}

/** Sends a request that succeeds or fails. @throws as `respond` does. */
async function settle(path: string, send: (done: (error?: Error | null) => void) => void): Promise<void> {
  await respond<unknown>(path, (done) => send((error) => done(error, undefined)));
}

function toFailure(path: string, error: Error): Error {
  const status: unknown = 'code' in error ? error.code : undefined;
  // Without a status, the connection failed.
  if (typeof status !== 'number') return error;
  const message = excerpt(`${path}: ${error.message}`);
  const details = { status };
  if (status === NO_SUCH_FILE) return new NodeError('SFTP_NOT_FOUND', message, { isRetryable: false, details });
  return new NodeError('SFTP_FAILED', message, { isRetryable: status === FAILURE, details });
}

function exists(path: string): NodeError {
  return new NodeError('SFTP_EXISTS', `${path} exists`, { isRetryable: false });
}

function violation(path: string, what: string): NodeError {
  return new NodeError('SFTP_FAILED', `${path}: the server sent ${what}`, { isRetryable: false });
}
