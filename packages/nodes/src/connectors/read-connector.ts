import type { PackFiles, PackIssue } from '@deckhand/connectors';
import { parseOwnJson } from '@deckhand/contracts';
import { type FileProcesses, NodeError } from '@deckhand/engine';
import { workOnFile } from '../files/file-process.ts';
import { once } from '../files/file-source.ts';
import type { ComposedTexts } from './compose-texts.ts';

/** Maximum length of the files of a connector, in bytes. */
const MAX_PACK_BYTES = 1_048_576;
const MAX_DOCUMENT_BYTES = 52_428_800;
/** Maximum length of what the process writes, in bytes: texts of JSON in JSON, so each quote is escaped. */
const MAX_WRITTEN_BYTES = 100_663_296;
/** Maximum duration in ms, with the start of the process, which takes seconds on a machine with too much work. */
const MAX_MS = 60_000;

/** The files of a connector, and who reads them. */
export interface ConnectorUpload extends PackFiles {
  /** The processes that read files of others. */
  readonly processes: FileProcesses;
  /** Whose files share the processes fairly with those of others. */
  readonly workspaceId: string;
  readonly signal: AbortSignal;
  readonly maxMs?: number;
}

/**
 * Reads a pack and its document in a process of its own, with limits of time and memory: their author chooses what that
 * costs.
 * @returns the connector as it is stored, or the issues of its files.
 * @throws NodeError MEMORY_EXCEEDED if the system ended the process; the signal's reason.
 */
export async function readConnector({
  pack,
  document,
  processes,
  workspaceId,
  signal,
  maxMs = MAX_MS,
}: ConnectorUpload): Promise<ComposedTexts> {
  const [packBytes, documentBytes] = [Buffer.from(pack.text), Buffer.from(document.text)];
  if (packBytes.length > MAX_PACK_BYTES) return tooLarge(pack.name, MAX_PACK_BYTES);
  if (documentBytes.length > MAX_DOCUMENT_BYTES) return tooLarge(document.name, MAX_DOCUMENT_BYTES);
  const job = { kind: 'connector', packBytes: packBytes.length, names: [pack.name, document.name] } as const;
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  try {
    await workOnFile({
      ...{ processes, workspaceId, executionId: '', signal, maxMs, job },
      content: once(Buffer.concat([packBytes, documentBytes])),
      async save(content) {
        for await (const piece of content) {
          bytes += piece.byteLength;
          if (bytes <= MAX_WRITTEN_BYTES) pieces.push(piece);
        }
        return null;
      },
    });
  } catch (error) {
    if (!(error instanceof NodeError) || (error.code !== 'FILE_LIMIT' && error.code !== 'FILE_INVALID')) throw error;
    return { issues: [{ file: document.name, path: '', message: error.message }] };
  }
  if (bytes > MAX_WRITTEN_BYTES)
    return { issues: [{ file: pack.name, path: 'operations', message: 'are too many, or too large' }] };
  return parseOwnJson<ComposedTexts>(Buffer.concat(pieces).toString());
}

function tooLarge(file: string, maxBytes: number): { issues: readonly PackIssue[] } {
  return { issues: [{ file, path: '', message: `has more than ${maxBytes.toLocaleString('en')} bytes` }] };
}
