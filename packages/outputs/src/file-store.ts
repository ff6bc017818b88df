import { fileName, type FileValue, mediaTypeOf } from '@deckhand/contracts';
import {
  abandonFile,
  beginFile,
  type Database,
  discardFile,
  expireFiles,
  type FileSpace,
  findAbandonedFiles,
  findFile,
  findSameFile,
  type FinishedFile,
  finishFile,
  forgetFile,
  keepFiles,
  type KeptFile,
  type NewFile,
  postponeFile,
  renewFile,
  StoreError,
} from '@deckhand/db';
import type { MemoryBudget } from '@deckhand/runtime';
import { createHash } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { toParts } from './byte-parts.ts';
import { type ContentStore, type ContentWriter, createDatabaseContent, createObjectContent } from './file-content.ts';
import { FileError } from './file-error.ts';
import { type ObjectStore, openObjects } from './object-store.ts';
import type { FileSettings, OutputSettings } from './settings.ts';

/** A file to store. */
export interface FileToSave {
  readonly workspaceId: string;
  /** The run that stores it, whose files together are limited; undefined outside of runs. */
  readonly executionId?: string | undefined;
  readonly name: string;
  readonly contentType?: string | undefined;
  /** How long it is kept until a run names it, in minutes. */
  readonly keptMinutes: number;
  /** Aborts it. */
  readonly signal?: AbortSignal | undefined;
}

/** A range of bytes from `from`, without `until`. */
export interface FileRange {
  readonly from: number;
  readonly until?: number | undefined;
}

/** The bytes of a file, or of a range of it. */
export interface OpenedContent {
  /** The length of the whole file, in bytes. */
  readonly totalBytes: number;
  /** The number of bytes of `content`. */
  readonly bytes: number;
  /** Pieces of at most 1 MiB, read as they are consumed. @throws FileError FILE_NOT_FOUND if it was deleted. */
  readonly content: AsyncIterable<Uint8Array>;
}

/** Runs an operation on a store, and may repeat it while the store is unavailable. */
export type Attempt = <T>(what: string, act: () => Promise<T>) => Promise<T>;

/** A stored file that may turn out to be needed by nobody. */
export interface StagedFile {
  readonly value: FileValue;
  /** Leaves the file to the next sweep, unless anybody else stored the same content, or a run names it. */
  readonly discard: () => Promise<void>;
}

/** The store of files: the content of each once per workspace. Errors of stores are those of `classifyStoreError`. */
export interface FileStore {
  /**
   * Stores a file while its content comes, at the speed of the store.
   * @throws FileError FILE_TOO_LARGE, STORAGE_FULL, INSTANCE_FULL, MEMORY_EXCEEDED; the error of the content.
   */
  save(content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, file: FileToSave): Promise<FileValue>;
  /** Like `save`, for a file whose request may still be refused. */
  stage(content: AsyncIterable<Uint8Array>, file: FileToSave): Promise<StagedFile>;
  /** Keeps stored files that are about to expire for some minutes more. @returns false if one was swept. */
  keep(workspaceId: string, files: readonly FileValue[], minutes: number): Promise<boolean>;
  /** Opens a file of a workspace. @throws FileError FILE_NOT_FOUND. */
  open(workspaceId: string, id: string, range?: FileRange): Promise<OpenedContent>;
  /** Opens a file that was found. */
  read(file: KeptFile, range?: FileRange): OpenedContent;
  /**
   * Deletes files that no run names, and what was left of unfinished ones. One that cannot be deleted now is tried
   * again after all others.
   * @returns how many contents were deleted. If it is `limit`, there may be more.
   * @throws AggregateError if some could not be deleted, after the others were.
   */
  sweep(limit: number): Promise<number>;
  /** Returns the same store, whose operations are run by `attempt`. */
  attemptedBy(attempt: Attempt): FileStore;
  close(): void;
}

/** Options of the store of files. */
export interface FileStoreOptions {
  readonly maxFileBytes: number;
  /** Maximum number of bytes of the different files that one run names, or has stored. */
  readonly maxRunBytes: number;
  /** Maximum number of bytes that all workspaces store together; undefined for no limit. */
  readonly maxInstanceBytes?: number | undefined;
  /** Whether new files go to the object store, and otherwise to PostgreSQL. */
  readonly isApart: boolean;
  /** How often the time of an unfinished file is extended, in ms; by default every minute. */
  readonly renewedEveryMs?: number | undefined;
  /** The budget for parts that are being written; undefined if memory is not counted. */
  readonly memory?: MemoryBudget | undefined;
}

/** How often the time of an unfinished file is extended, in ms. */
const RENEWED_EVERY_MS = 60_000;
/** After how many bytes the others of its workspace have less room, in bytes. */
const RENEWED_EVERY_BYTES = 8_388_608;
/** Number of files that cannot be deleted after which the sweep ends: the store is most likely unavailable. */
const MAX_FAILURES = 5;
/** Maximum length of a piece of an opened file, in bytes: parts of files are multiples of it. */
const PIECE_BYTES = 1_048_576;

/**
 * Opens the store that the settings name. Files in the other store can still be read, because each records where it is.
 * @throws SettingsError
 */
export async function openFileStore(
  settings: OutputSettings & FileSettings,
  db: Database,
  memory?: MemoryBudget,
): Promise<FileStore> {
  return createFileStore(db, await openObjects(settings), {
    maxFileBytes: settings.FILE_MAX_BYTES,
    maxRunBytes: settings.FILE_MAX_RUN_BYTES,
    maxInstanceBytes: settings.FILE_MAX_INSTANCE_BYTES,
    isApart: settings.OUTPUT_STORE === 's3',
    memory,
  });
}

/** Creates the store of files. @param objects the object store; undefined without one. */
export function createFileStore(db: Database, objects: ObjectStore | undefined, options: FileStoreOptions): FileStore {
  const inDatabase = createDatabaseContent(db);
  const apart = objects && createObjectContent(objects);
  const contents = {
    ofNew: options.isApart ? requireApart(apart) : inDatabase,
    of: ({ isApart }: Pick<KeptFile, 'isApart'>) => (isApart ? requireApart(apart) : inDatabase),
  };

  function create(attempt: Attempt): FileStore {
    return {
      save: async (content, file) => (await save({ db, contents, attempt, options }, content, file)).value,
      async stage(content, file) {
        const { value, finished } = await save({ db, contents, attempt, options }, content, file);
        return { value, discard: () => attempt('file', () => discardFile(db, finished)) };
      },
      keep: (workspaceId, files, minutes) =>
        attempt('file', () => keepFiles(db, workspaceId, { ids: files.map(({ file }) => file.id), minutes })),
      async open(workspaceId, id, range) {
        const file = await attempt('file', () => findFile(db, workspaceId, id));
        if (!file) throw notFound(id);
        return openContent(contents.of(file), file, { range, attempt });
      },
      read: (file, range) => openContent(contents.of(file), file, { range, attempt }),
      async sweep(limit) {
        await expireFiles(db, limit);
        const abandoned = await findAbandonedFiles(db, limit);
        const failures: unknown[] = [];
        for (const file of abandoned) {
          try {
            await contents.of(file).delete(file);
            await forgetFile(db, file.id);
          } catch (error) {
            failures.push(error);
            if (failures.length === MAX_FAILURES) break;
            await postponeFile(db, file.id);
          }
        }
        if (failures.length > 0) throw new AggregateError(failures, `${failures.length} files could not be deleted`);
        return abandoned.length;
      },
      attemptedBy: create,
      close: () => objects?.close(),
    };
  }
  return create((_, act) => act());
}

function requireApart(apart: ContentStore | undefined): ContentStore {
  if (!apart) throw new StoreError('the file is in an object store: set S3_BUCKET to it', 'deployment');
  return apart;
}

function notFound(id: string): FileError {
  return new FileError('FILE_NOT_FOUND', `the workspace has no file ${id}`);
}

/** What storing a file needs. */
interface Saving {
  readonly db: Database;
  readonly contents: { readonly ofNew: ContentStore };
  readonly attempt: Attempt;
  readonly options: FileStoreOptions;
}

async function save(
  { db, contents: { ofNew }, attempt, options }: Saving,
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  { workspaceId, executionId, name, contentType, keptMinutes, signal }: FileToSave,
): Promise<{ readonly value: FileValue; readonly finished: FinishedFile }> {
  const { isApart, maxInstanceBytes, renewedEveryMs = RENEWED_EVERY_MS } = options;
  const unfinished = { id: uuidv7(), workspaceId, isApart };
  const hash = createHash('sha256');
  const account = options.memory?.open({ group: workspaceId });
  let writer: ContentWriter | undefined;
  let room: Room = { bytes: options.maxFileBytes, refusal: 'FILE_TOO_LARGE' };
  let bytes = 0;
  let renewedAt = performance.now();
  let renewedBytes = 0;

  /** Begins with the first part that has to be written: content that the workspace has already needs none. */
  async function begin(): Promise<ContentWriter> {
    const space = await attempt('file', () => beginFile(db, written()));
    if (!space) throw new FileError('FILE_NOT_FOUND', 'the workspace does not exist any more');
    noteSpace(space);
    return ofNew.writer(unfinished);
  }
  async function renew(): Promise<void> {
    const space = await renewFile(db, written());
    if (!space) throw new StoreError('the file was swept', 'row');
    noteSpace(space);
  }
  function written(): NewFile {
    return { ...unfinished, executionId, bytes, maxInstanceBytes };
  }
  function noteSpace({ quotaBytes, instanceBytes, runBytes }: FileSpace): void {
    room = smallest([
      { bytes: options.maxFileBytes, refusal: 'FILE_TOO_LARGE' },
      { bytes: options.maxRunBytes - runBytes, refusal: 'FILE_TOO_LARGE' },
      { bytes: instanceBytes ?? Infinity, refusal: 'INSTANCE_FULL' },
      { bytes: quotaBytes ?? Infinity, refusal: 'STORAGE_FULL' },
    ]);
    renewedAt = performance.now();
    renewedBytes = bytes;
  }
  function requireRoom(): void {
    if (bytes > room.bytes) throw refusalOf(room);
  }
  /** Others may need the memory of a part that grows no more. */
  function requireMemory(): void {
    if (account?.isRevoked() === true)
      throw new FileError('MEMORY_EXCEEDED', 'the process has no memory for the file at the moment');
  }
  /** Renews the file while its content comes, however slowly. */
  async function* renewed(): AsyncGenerator<Uint8Array, void, undefined> {
    const renewIfDue = async (): Promise<void> => {
      if (writer && performance.now() - renewedAt > renewedEveryMs) await attempt('file', renew);
    };
    for await (const piece of content) {
      requireMemory();
      await renewIfDue();
      yield piece;
    }
    await renewIfDue();
  }
  /** What is written after the sweep would be left for ever, so before it is tried again the file is renewed. */
  function attemptWrite(act: () => Promise<void>): Promise<void> {
    let isRepeated = false;
    return attempt('file', async () => {
      if (isRepeated) await renew();
      isRepeated = true;
      await act();
    });
  }
  async function write(part: number, data: Uint8Array, isLast: boolean): Promise<ContentWriter> {
    writer ??= await begin();
    // Before the last part, too: others may have been finished meanwhile.
    if (bytes - renewedBytes >= (isLast ? 1 : RENEWED_EVERY_BYTES)) await attempt('file', renew);
    requireRoom();
    const current = writer;
    await attemptWrite(() => current.write(part, data, isLast));
    return current;
  }

  try {
    let part = 0;
    const parts = toParts(renewed(), ofNew.partBytes, (held) => {
      account?.set(held);
      requireMemory();
    });
    for await (const { bytes: data, isLast } of parts) {
      signal?.throwIfAborted();
      bytes += data.byteLength;
      requireRoom();
      hash.update(data);
      if (!isLast) {
        await write(part, data, false);
        part += 1;
        continue;
      }
      const sha256 = hash.digest();
      const stored = { workspaceId, sha256, executionId };
      let finished = await attempt('file', () => findSameFile(db, stored, keptMinutes));
      if (!finished) {
        const complete = await write(part, data, true);
        await attemptWrite(() => complete.complete());
        const kept = await attempt('file', () => finishFile(db, { ...stored, id: unfinished.id, bytes }, keptMinutes));
        if (kept === 'noRoom') throw refusalOf({ bytes: 0, refusal: 'STORAGE_FULL' });
        if (!kept) throw new Error('the file was swept');
        finished = kept;
        if (finished.id === unfinished.id) writer = undefined;
      }
      const about = { name: fileName(name), contentType: mediaTypeOf({ contentType }) };
      return { value: { file: { id: finished.id, ...about, bytes, sha256: sha256.toString('hex') } }, finished };
    }
    throw new Error('a stream has a last part');
  } finally {
    account?.close();
    // What cannot be deleted now is swept.
    if (writer) await discard(db, ofNew, unfinished).catch(() => undefined);
  }
}

/** Bytes that a file may have, and the error of a longer one. */
interface Room {
  readonly bytes: number;
  readonly refusal: 'FILE_TOO_LARGE' | 'STORAGE_FULL' | 'INSTANCE_FULL';
}

function smallest(rooms: readonly [Room, ...Room[]]): Room {
  return rooms.reduce((least, room) => (room.bytes < least.bytes ? room : least));
}

function refusalOf({ bytes, refusal }: Room): FileError {
  switch (refusal) {
    case 'FILE_TOO_LARGE':
      return new FileError(
        'FILE_TOO_LARGE',
        `the file is larger than the ${Math.max(bytes, 0)} bytes that are allowed`,
      );
    case 'STORAGE_FULL':
      return new FileError('STORAGE_FULL', 'the storage quota of the workspace has no room for the file');
    case 'INSTANCE_FULL':
      return new FileError('INSTANCE_FULL', 'the instance has no room for the file');
  }
}

/** Deletes what was written of a file, unless it is finished. What cannot be deleted is left to the sweep. */
async function discard(
  db: Database,
  content: ContentStore,
  file: Pick<KeptFile, 'id' | 'workspaceId' | 'isApart'>,
): Promise<void> {
  // The attempt to finish it may have succeeded without a response. A swept one may have been written since.
  if (!(await abandonFile(db, file))) return;
  await content.delete(file);
  await forgetFile(db, file.id);
}

function openContent(
  content: ContentStore,
  file: KeptFile,
  { range, attempt }: { range: FileRange | undefined; attempt: Attempt },
): OpenedContent {
  const from = Math.min(range?.from ?? 0, file.bytes);
  const until = Math.max(from, Math.min(range?.until ?? file.bytes, file.bytes));
  return { totalBytes: file.bytes, bytes: until - from, content: readPieces(content, file, { from, until, attempt }) };
}

async function* readPieces(
  content: ContentStore,
  file: KeptFile,
  { from, until, attempt }: { from: number; until: number; attempt: Attempt },
): AsyncGenerator<Uint8Array, void, undefined> {
  for (let at = from; at < until;) {
    // Less than a part of the object store: a slow reader holds what was read.
    const end = Math.min(until, (Math.floor(at / PIECE_BYTES) + 1) * PIECE_BYTES);
    const start = at;
    const data = await attempt('file', () => content.read(file, start, end));
    if (data?.byteLength !== end - start) throw notFound(file.id);
    yield data;
    at = end;
  }
}
