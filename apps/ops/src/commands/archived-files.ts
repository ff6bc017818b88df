import { type Archive, ArchiveError } from '@deckhand/outputs';
import { printMessage } from '@deckhand/terminal';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** A file that an archived run names. */
export interface ArchivedFileRecord {
  readonly workspaceId: string;
  readonly id: string;
  /** SHA-256 of its content, in hexadecimal. */
  readonly sha256: string;
  /** Whether the store did not have it when the run was archived. The archive may have it of another run. */
  readonly isGone?: boolean | undefined;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Restores the content of an archived file as `<folder>/<workspace>/<id>`. One that is there already, with the digest
 * of its record, is left as it is, so an interrupted call can be repeated. A file is complete once it has its name.
 * @returns false if the archive does not have it, or its content is not that of the record: then nothing is left.
 * @throws StoreError if the object store cannot be read: that says nothing about the file. Errors of the folder.
 */
export async function restoreFile(
  archive: Archive,
  folder: string,
  { workspaceId, id, sha256, isGone = false }: ArchivedFileRecord,
): Promise<boolean> {
  // They become names of files, and whoever can write to the bucket chooses them.
  if (!UUID.test(workspaceId) || !UUID.test(id)) throw new Error('a record has an id that is not a UUID');
  const path = join(folder, workspaceId, id);
  if ((await digestOf(path)) === sha256) return true;
  const content = await archive.file(workspaceId, id);
  if (!content) {
    printMessage(isGone ? `${id} was gone before its run was archived` : `${id} is not in the archive`);
    return false;
  }
  await mkdir(join(folder, workspaceId), { recursive: true, mode: 0o700 });
  const partPath = `${path}.part`;
  try {
    const digest = await write(partPath, content);
    if (digest !== sha256) throw new ArchiveError(`its digest is not ${sha256}`);
    await rename(partPath, path);
    return true;
  } catch (error) {
    await rm(partPath, { force: true });
    if (!(error instanceof ArchiveError)) throw error;
    printMessage(`${id} is damaged: ${error.message}`);
    return false;
  }
}

/** Writes a file and flushes it. @returns its digest. */
async function write(path: string, content: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  const handle = await open(path, 'w', 0o600);
  try {
    for await (const piece of content) {
      hash.update(piece);
      await handle.writeFile(piece);
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
  return hash.digest('hex');
}

/** Returns the digest of a file; undefined if there is none. */
async function digestOf(path: string): Promise<string | undefined> {
  const hash = createHash('sha256');
  try {
    for await (const piece of createReadStream(path)) if (piece instanceof Uint8Array) hash.update(piece);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
  return hash.digest('hex');
}
