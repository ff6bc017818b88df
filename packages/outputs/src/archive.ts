import { parseOwnJson } from '@deckhand/contracts';
import { type ArchivedFile, StoreError } from '@deckhand/db';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { toParts } from './byte-parts.ts';
import { abortUploads, createObjectContent } from './file-content.ts';
import { type ObjectStore, openS3 } from './object-store.ts';
import type { ArchiveSettings, OutputSettings } from './settings.ts';

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/*
 * The archive of a partition of runs, in an object store:
 *
 *     archive/<partition>/<run>-<digest>.ndjson.gz   its parts: records of whole runs, or of a run that needs several
 *     archive/<partition>/progress.json              the parts so far, until it is complete
 *     archive/<partition>/manifest.json              all parts; written last
 *
 *     archived-files/<workspace>/<id>                the content of a file, once for all partitions
 *     archived-files/<workspace>/<id>.check          the digest of its record, and whether the content has it, written
 *                                                    once the content was read back
 *
 * Names of parts contain the digest of their content, so writing one again, by another process or after a crash, never
 * replaces anything else. A part that no manifest names belongs to nobody.
 */

/** A part of an archive. */
export interface ArchivePart {
  readonly name: string;
  /** SHA-256 of the compressed bytes, in hexadecimal. */
  readonly sha256: string;
  readonly bytes: number;
  /** When the first and the last of its runs were created, ISO 8601. */
  readonly createdFrom: string;
  readonly createdTo: string;
}

/** What an archive contains. */
export interface ArchiveManifest {
  readonly version: 1;
  readonly partition: string;
  /** All runs of the partition, and those of them that are left out because their workspace was deleted. */
  readonly runs: number;
  readonly leftOut: number;
  /** The sum of the last 32 bits of the ids of all runs. */
  readonly checksum: number;
  /** Lines of all parts, without repeated ones. */
  readonly records: number;
  /** The last run so far; null before the first one. */
  readonly lastRun: string | null;
  readonly parts: readonly ArchivePart[];
  /** When it was completed, ISO 8601; null in `progress.json`. */
  readonly archivedAt: string | null;
}

/** Archives in an object store. Every method throws a StoreError if the store is unavailable or refuses. */
export interface Archive {
  /** Returns the manifest of a complete archive; undefined without one. */
  manifest(partition: string): Promise<ArchiveManifest | undefined>;
  /** Returns what an interrupted archive contains so far; undefined without one. */
  progress(partition: string): Promise<ArchiveManifest | undefined>;
  /** Records what the archive contains; from `archivedAt` on, it is complete. */
  record(manifest: ArchiveManifest): Promise<void>;
  /**
   * Writes a part and reads it back. @throws StoreError if the store does not return what was written.
   */
  write(part: NewPart): Promise<ArchivePart>;
  /** Reads the lines of a part. @throws StoreError if it is missing, or its bytes are not those that were written. */
  read(partition: string, part: ArchivePart): Promise<string[]>;
  /**
   * Keeps the content of a file as it is, and reads it back, unless an earlier call has. @throws StoreError if the
   * store does not return what was written; then it is deleted, and written again by the next call.
   */
  keepFile(file: ArchivedFile, content: AsyncIterable<Uint8Array>): Promise<KeptContent>;
  /**
   * Returns the content of a file as it is read; undefined if the archive does not have it. After its last byte, it
   * throws a StoreError if its digest is not that of its record, or was never checked.
   */
  file(workspaceId: string, id: string): Promise<AsyncIterable<Uint8Array> | undefined>;
  /** Returns the partitions with a complete or an interrupted archive. */
  partitions(): Promise<string[]>;
  close(): void;
}

/** The content of a file in the archive. */
export interface KeptContent {
  /** Whether it was given with another digest than its file has. */
  readonly isDamaged: boolean;
  /** Whether this call has read it back, and no earlier one. */
  readonly isNew: boolean;
}

/** A part to write. */
export interface NewPart {
  readonly partition: string;
  /** The first run. */
  readonly run: string;
  readonly lines: readonly string[];
  readonly createdFrom: string;
  readonly createdTo: string;
}

/** An archive differs from what was written to it. */
export class ArchiveError extends StoreError {
  override readonly name = 'ArchiveError';

  constructor(message: string) {
    super(message, 'transient');
  }
}

const FOLDER = 'archive/';
const FILES = 'archived-files/';

/** Opens the archives that the settings name; undefined if they name none. */
export async function openArchive(
  settings: ArchiveSettings & Pick<OutputSettings, 'S3_ENDPOINT' | 'S3_REGION' | 'S3_PREFIX'>,
): Promise<Archive | undefined> {
  const { ARCHIVE_BUCKET: bucket, S3_ENDPOINT: endpoint, S3_REGION: region, S3_PREFIX: prefix } = settings;
  return bucket === undefined ? undefined : createArchive(await openS3({ bucket, endpoint, region, prefix }));
}

function createArchive(objects: ObjectStore): Archive {
  const contents = createObjectContent(objects, FILES);

  async function readManifest(key: string): Promise<ArchiveManifest | undefined> {
    const bytes = await objects.get(key);
    if (!bytes) return undefined;
    const manifest = parseOwnJson<Omit<ArchiveManifest, 'version'> & { readonly version: number }>(
      Buffer.from(bytes).toString('utf8'),
    );
    if (manifest.version !== 1) throw new ArchiveError(`${key} has a format that is not known`);
    return { ...manifest, version: 1 };
  }

  /** @throws ArchiveError if the store has none, or other bytes. */
  async function readBytes(key: string, sha256: string): Promise<Uint8Array> {
    const bytes = await objects.get(key);
    if (!bytes) throw new ArchiveError(`${key} is missing`);
    if (digestOf(bytes) !== sha256) throw new ArchiveError(`${key} is damaged: its digest is not ${sha256}`);
    return bytes;
  }

  async function* contentOf(workspaceId: string, id: string, bytes: number): AsyncGenerator<Uint8Array> {
    const file = { id, workspaceId, bytes, isApart: true };
    for (let from = 0; from < bytes; from += contents.partBytes) {
      const until = Math.min(bytes, from + contents.partBytes);
      const piece = await contents.read(file, from, until);
      if (piece?.byteLength !== until - from)
        throw new ArchiveError(
          `the file ${id} is missing, or ends after ${from + (piece?.byteLength ?? 0)} of ${bytes} bytes`,
        );
      yield piece;
    }
  }

  /** Yields the content of a file. @throws ArchiveError after it if its digest is not that of its record. */
  async function* checked(content: AsyncIterable<Uint8Array>, key: string): AsyncGenerator<Uint8Array> {
    const { sha256 } = await readCheck(key);
    const hash = createHash('sha256');
    for await (const piece of content) {
      hash.update(piece);
      yield piece;
    }
    if (sha256 === undefined) throw new ArchiveError(`${key} was not read back yet: it may be damaged`);
    if (hash.digest('hex') !== sha256) throw new ArchiveError(`${key} is damaged: its digest is not ${sha256}`);
  }

  /** Returns the digest of a file that was read back, and whether its content has another one. */
  async function readCheck(key: string): Promise<{ sha256: string | undefined; isDamaged: boolean }> {
    const text = Buffer.from((await objects.get(`${key}.check`)) ?? []).toString('utf8');
    // What is not written this way is written again.
    const [, state, sha256] = /^(ok|damaged) ([0-9a-f]{64})$/.exec(text) ?? [];
    return { sha256, isDamaged: state === 'damaged' };
  }

  /** @returns the digest of the content. */
  async function copy(file: ArchivedFile, content: AsyncIterable<Uint8Array>): Promise<string> {
    const writer = contents.writer(file);
    const hash = createHash('sha256');
    let part = 0;
    for await (const { bytes, isLast } of toParts(content, contents.partBytes, () => undefined)) {
      hash.update(bytes);
      await writer.write(part, bytes, isLast);
      part += 1;
    }
    await writer.complete();
    return hash.digest('hex');
  }

  return {
    manifest: (partition) => readManifest(`${FOLDER}${partition}/manifest.json`),
    progress: (partition) => readManifest(`${FOLDER}${partition}/progress.json`),
    async record(manifest) {
      const folder = `${FOLDER}${manifest.partition}/`;
      const isComplete = manifest.archivedAt !== null;
      await objects.put(
        folder + (isComplete ? 'manifest.json' : 'progress.json'),
        Buffer.from(JSON.stringify(manifest)),
      );
      if (isComplete) await objects.delete([`${folder}progress.json`]);
    },
    async write({ partition, run, lines, createdFrom, createdTo }) {
      const bytes = await compress(lines.map((line) => `${line}\n`).join(''));
      const sha256 = digestOf(bytes);
      const name = `${run}-${sha256.slice(0, 16)}.ndjson.gz`;
      await objects.put(`${FOLDER}${partition}/${name}`, bytes);
      await readBytes(`${FOLDER}${partition}/${name}`, sha256);
      return { name, sha256, bytes: bytes.length, createdFrom, createdTo };
    },
    async read(partition, { name, sha256 }) {
      const bytes = await readBytes(`${FOLDER}${partition}/${name}`, sha256);
      return (await decompress(bytes)).toString('utf8').split('\n').slice(0, -1);
    },
    async keepFile(file, content) {
      const { id, workspaceId, bytes, sha256 } = file;
      const key = `${FILES}${workspaceId}/${id}`;
      let written = sha256;
      if ((await objects.size(key)) === bytes) {
        const check = await readCheck(key);
        if (check.sha256 === sha256) return { isDamaged: check.isDamaged, isNew: false };
      } else {
        try {
          written = await copy(file, content);
        } finally {
          // Also of processes that died while they wrote it. One that still does so finds it complete.
          await abortUploads(objects, key);
        }
      }
      const hash = createHash('sha256');
      for await (const piece of contentOf(workspaceId, id, (await objects.size(key)) ?? 0)) hash.update(piece);
      if (hash.digest('hex') !== written) {
        await contents.delete(file);
        throw new ArchiveError(`${key} is damaged: its digest is not ${written}`);
      }
      // Damaged before it came here: it stays as it is, and holds up nothing else.
      const isDamaged = written !== sha256;
      await objects.put(`${key}.check`, Buffer.from(`${isDamaged ? 'damaged' : 'ok'} ${sha256}`));
      return { isDamaged, isNew: true };
    },
    async file(workspaceId, id) {
      const key = `${FILES}${workspaceId}/${id}`;
      const bytes = await objects.size(key);
      return bytes === undefined ? undefined : checked(contentOf(workspaceId, id, bytes), key);
    },
    async partitions() {
      return (await objects.listFolders(FOLDER)).map((folder) => folder.slice(FOLDER.length, -1));
    },
    close() {
      objects.close();
    },
  };
}

function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
