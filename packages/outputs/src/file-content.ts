import {
  type AbandonedFile,
  classifyStoreError,
  type Database,
  deleteFileParts,
  type KeptFile,
  readFilePart,
  StoreError,
  writeFilePart,
} from '@deckhand/db';
import type { ObjectStore } from './object-store.ts';

/** Where the bytes of files are. Every method throws errors that `classifyStoreError` knows, and may be repeated. */
export interface ContentStore {
  /** The length of every part of a file but the last, in bytes. */
  readonly partBytes: number;
  /** Writes the bytes of a file that is recorded as unfinished. */
  writer(file: AbandonedFile): ContentWriter;
  /** Reads bytes of a file within one of its parts; undefined if they are gone. */
  read(file: KeptFile, from: number, until: number): Promise<Uint8Array | undefined>;
  /** Deletes the bytes of an unfinished file. */
  delete(file: AbandonedFile): Promise<void>;
}

/** Writes the parts of a file in their order, one at a time. */
export interface ContentWriter {
  write(part: number, bytes: Uint8Array, isLast: boolean): Promise<void>;
  /** Makes the parts the content of the file. */
  complete(): Promise<void>;
}

const MEBIBYTE = 1_048_576;
/** Maximum number of parts that one statement deletes. */
const DELETED_PARTS = 64;

/** Creates the store of contents in PostgreSQL. */
export function createDatabaseContent(db: Database): ContentStore {
  return {
    partBytes: MEBIBYTE,
    writer: ({ id }) => ({
      async write(part, bytes) {
        if (!(await writeFilePart(db, id, part, bytes))) throw new StoreError('the file was swept', 'row');
      },
      complete: () => Promise.resolve(),
    }),
    async read({ id }, from, until) {
      const part = Math.floor(from / MEBIBYTE);
      const data = await readFilePart(db, id, part);
      return data?.subarray(from - part * MEBIBYTE, until - part * MEBIBYTE);
    },
    async delete({ id }) {
      while ((await deleteFileParts(db, id, DELETED_PARTS)) === DELETED_PARTS);
    },
  };
}

/**
 * Creates the store of contents in an object store: an object for each file.
 * @param folder begins the keys of the objects.
 */
export function createObjectContent(objects: ObjectStore, folder = 'files/'): ContentStore {
  const keyOf = ({ id, workspaceId }: AbandonedFile): string => `${folder}${workspaceId}/${id}`;
  return {
    // At least 5 MiB, and so that 10,000 parts, the limit of S3, have 78 GiB.
    partBytes: 8 * MEBIBYTE,
    writer(file) {
      const key = keyOf(file);
      const tags: string[] = [];
      let id: string | undefined;
      return {
        async write(part, bytes, isLast) {
          if (part === 0 && isLast) return objects.put(key, bytes);
          id ??= await objects.beginUpload(key);
          tags[part] = await objects.uploadPart({ key, id }, part + 1, bytes);
        },
        async complete() {
          if (id !== undefined) await objects.completeUpload({ key, id }, tags);
        },
      };
    },
    read: (file, from, until) => objects.get(keyOf(file), { first: from, last: until - 1 }),
    async delete(file) {
      await abortUploads(objects, keyOf(file));
      await objects.delete([keyOf(file)]);
    },
  };
}

/**
 * Ends all unfinished uploads of an object. A store may refuse to list them: what they have written is then left to the
 * lifecycle rule of the bucket.
 */
export async function abortUploads(objects: ObjectStore, key: string): Promise<void> {
  await objects.abortUploads(key).catch((error: unknown) => {
    if (classifyStoreError(error) !== 'deployment') throw error;
  });
}
