import { NodeError, type NodeServices } from '@deckhand/engine';
import { FileError, type FileStore } from '@deckhand/outputs';
import type { RetryWhileUnavailable } from '../checkpoints/retry-while-unavailable.ts';

/** How long a file is kept until a checkpoint names it, in minutes: with the sweep, less than an hour. */
const KEPT_MINUTES = 50;

/** Creates the files of nodes. Their operations are repeated while the stores are unavailable. */
export function createNodeFiles(store: FileStore, retry: RetryWhileUnavailable): NodeServices['files'] {
  const files = store.attemptedBy(retry);
  return ({ workspaceId, executionId, signal }) => ({
    async open({ file }, range) {
      const opened = await files.open(workspaceId, file.id, range).catch(refuse);
      return { bytes: opened.bytes, content: piecesOf(opened.content) };
    },
    save: (content, about) =>
      files
        .save(content, { ...about, workspaceId, executionId, keptMinutes: KEPT_MINUTES, signal: signal() })
        .catch(refuse),
  });
}

async function* piecesOf(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* content;
  } catch (error) {
    refuse(error);
  }
}

/** @throws NodeError for a FileError, and any other error unchanged. */
function refuse(error: unknown): never {
  if (!(error instanceof FileError)) throw error;
  const isRetryable = error.code === 'STORAGE_FULL' || error.code === 'MEMORY_EXCEEDED';
  throw new NodeError(error.code, error.message, { isRetryable, cause: error });
}
