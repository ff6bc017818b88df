import { DeckhandError, isJsonObject, isUuid, type StoredFile, storedFileOf } from '@deckhand/contracts';
import { findVisibleFile } from '@deckhand/db';
import {
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  type ResourceLink,
  ResourceNotFoundError,
  ResourceTemplate,
} from '@modelcontextprotocol/server';
import { buffer } from 'node:stream/consumers';
import { TextDecoder } from 'node:util';
import { requireScope } from '../auth/authenticate.ts';
import type { KeyCaller } from '../auth/caller.ts';
import type { RunContext } from '../contexts.ts';
import { toDeckhandError } from '../http/errors.ts';

const TEMPLATE = 'deckhand://executions/{executionId}/files/{fileId}';
/** Maximum size of a file that a client reads, in bytes: it is sent as base64, in one message. */
const MAX_BYTES = 4_194_304;
/** Maximum number of files of a result that have links. */
const MAX_LINKS = 20;
/** The first revision with links to resources in results. */
const LINKS_SINCE = '2025-06-18';

/** Returns links to the files that the result of a run names, for clients whose revision of the protocol has links. */
export function fileLinksOf(
  { executionId, result }: Readonly<Record<string, unknown>>,
  revision: string | undefined,
): ResourceLink[] {
  if (typeof executionId !== 'string' || revision === undefined || revision < LINKS_SINCE) return [];
  const found = new Map<string, StoredFile>();
  collectFiles(result, found);
  return [...found.values()].map(({ id, name, contentType, bytes }) => ({
    type: 'resource_link',
    uri: TEMPLATE.replace('{executionId}', executionId).replace('{fileId}', id),
    name: name === '' ? id : name,
    mimeType: contentType,
    size: bytes,
  }));
}

function collectFiles(value: unknown, found: Map<string, StoredFile>): void {
  if (typeof value !== 'object' || value === null || found.size >= MAX_LINKS) return;
  const file = isJsonObject(value) ? storedFileOf(value) : undefined;
  if (file) found.set(file.id, file);
  else for (const part of Object.values(value)) collectFiles(part, found);
}

/** Lets clients read the files that runs name. */
export function registerFiles(server: McpServer, runs: RunContext, caller: KeyCaller): void {
  const about = {
    title: 'File of a run',
    description: `A file that the input or an output of a run names, of up to ${MAX_BYTES} bytes`,
  };
  server.registerResource(
    'file',
    new ResourceTemplate(TEMPLATE, { list: undefined }),
    about,
    async (uri, variables) => {
      try {
        const ids = { executionId: String(variables.executionId), fileId: String(variables.fileId) };
        return await readFile(runs, caller, uri.href, ids);
      } catch (error) {
        if (error instanceof ProtocolError) throw error;
        const { code, message, status, extra } = toDeckhandError(error);
        if (status >= 500) runs.logger.error({ err: error, code }, 'failed to read a file for an MCP client');
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, message, { code, ...extra });
      }
    },
  );
}

/** @throws ResourceNotFoundError; DeckhandError FORBIDDEN, PAYLOAD_TOO_LARGE, RATE_LIMITED. */
async function readFile(
  { db, files, shares }: RunContext,
  caller: KeyCaller,
  uri: string,
  ids: { readonly executionId: string; readonly fileId: string },
): Promise<ReadResourceResult> {
  requireScope(caller, { scope: 'executions:read' });
  const isValid = isUuid(ids.executionId) && isUuid(ids.fileId);
  const file = isValid ? await findVisibleFile(db, caller, ids) : undefined;
  if (!file) throw new ResourceNotFoundError(uri);
  if (file.bytes > MAX_BYTES) {
    const message = `The file has more than ${MAX_BYTES} bytes: download it by the API`;
    throw new DeckhandError('PAYLOAD_TOO_LARGE', { message, details: { bytesMax: MAX_BYTES } });
  }
  const bytes = await shares.within(file.workspaceId, 'downloads', () => buffer(files.read(file).content));
  const text = textOf(bytes);
  return { contents: [text === undefined ? { uri, blob: bytes.toString('base64') } : { uri, text }] };
}

/** Returns the text of a file in UTF-8, which a model can read; undefined for other bytes. */
function textOf(bytes: Buffer): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
