import type { NodeErrorCode } from '@deckhand/contracts';
import { NodeError, type NodeServices } from '@deckhand/engine';
import { FileError, type FileErrorCode, type FileStore } from '@deckhand/outputs';
import type { RetryWhileUnavailable } from '../checkpoints/retry-while-unavailable.ts';

/** How long a file is kept until a checkpoint names it, in minutes: with the sweep, less than an hour. */
const KEPT_MINUTES = 50;

/** Creates the files of nodes. Their operations are repeated while the stores are unavailable and the run goes on. */
export function createNodeFiles(store: FileStore, retry: RetryWhileUnavailable): NodeServices['files'] {
  return ({ workspaceId, executionId, signal }) => {
    const files = store.attemptedBy((what, act) => retry(what, act, signal()));
    return {
      async open({ file }, range) {
        const opened = await files.open(workspaceId, file.id, range).catch(refuse);
        return { bytes: opened.bytes, content: piecesOf(opened.content) };
      },
      async save(content, about) {
        const run = { workspaceId, executionId, signal: signal() };
        return files.save(content, { ...about, ...run, keptMinutes: KEPT_MINUTES }).catch(refuse);
      },
    };
  };
}

async function* piecesOf(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* content;
  } catch (error) {
    refuse(error);
  }
}

/** How nodes fail with errors of files. */
const FAILURES = {
  FILE_NOT_FOUND: { code: 'FILE_NOT_FOUND', isRetryable: false },
  FILE_TOO_LARGE: { code: 'FILE_TOO_LARGE', isRetryable: false },
  STORAGE_FULL: { code: 'STORAGE_FULL', isRetryable: true },
  INSTANCE_FULL: { code: 'STORAGE_FULL', isRetryable: true },
  MEMORY_EXCEEDED: { code: 'MEMORY_EXCEEDED', isRetryable: true },
} as const satisfies Record<FileErrorCode, { code: NodeErrorCode; isRetryable: boolean }>;

/** @throws NodeError for a FileError, and any other error unchanged. */
function refuse(error: unknown): never {
  if (!(error instanceof FileError)) throw error;
  const { code, isRetryable } = FAILURES[error.code];
  throw new NodeError(code, error.message, { isRetryable, cause: error });
}
