import { fileName, type FileValue, mediaTypeOf } from '@deckhand/contracts';
import { NodeError, type NodeFiles } from '@deckhand/engine';
import { createHash } from 'node:crypto';

/** Files in memory, for tests. */
export interface MemoryFiles extends NodeFiles {
  /** Returns the bytes of a file. @throws NodeError FILE_NOT_FOUND. */
  bytesOf(file: FileValue): Uint8Array;
  /** Like `save`; `discard` forgets the content. */
  stage: (...file: Parameters<NodeFiles['save']>) => Promise<{ value: FileValue; discard: () => Promise<void> }>;
  /** Returns whether the files are there. */
  keep: (workspaceId: string, files: readonly FileValue[]) => Promise<boolean>;
}

/** Pieces of files are this short, in bytes, so that readers meet several. */
const PIECE_BYTES = 1_000;

/** Creates a store of files in memory, with the same results as the one of an instance. Ids count from 1. */
export function createMemoryFiles(): MemoryFiles {
  const contents = new Map<string, Uint8Array>();
  const ids = new Map<string, string>();
  function bytesOf({ file: { id } }: FileValue): Uint8Array {
    const bytes = contents.get(id);
    if (!bytes) throw new NodeError('FILE_NOT_FOUND', `the workspace has no file ${id}`, { isRetryable: false });
    return bytes;
  }
  async function save(
    content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    { name, contentType }: { readonly name: string; readonly contentType?: string | undefined },
  ): Promise<FileValue> {
    const pieces: Uint8Array[] = [];
    // Copied, because producers may use their memory again.
    for await (const piece of content) pieces.push(Uint8Array.from(piece));
    const bytes = Buffer.concat(pieces);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const id = ids.get(sha256) ?? `00000000-0000-7000-8000-${String(ids.size + 1).padStart(12, '0')}`;
    ids.set(sha256, id);
    contents.set(id, bytes);
    return {
      file: { id, name: fileName(name), contentType: mediaTypeOf({ contentType }), bytes: bytes.length, sha256 },
    };
  }
  return {
    bytesOf,
    save,
    async stage(content, about) {
      const value = await save(content, about);
      const discard = async (): Promise<void> => {
        await Promise.resolve();
        contents.delete(value.file.id);
      };
      return { value, discard };
    },
    keep: (_workspaceId, files) => Promise.resolve(files.every(({ file }) => contents.has(file.id))),
    open(file, range) {
      const all = bytesOf(file);
      const bytes = all.subarray(range?.from ?? 0, range?.until ?? all.length);
      return Promise.resolve({ bytes: bytes.length, content: piecesOf(bytes) });
    },
  };
}

async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    yield bytes.subarray(at, at + PIECE_BYTES);
    await Promise.resolve();
  }
}
