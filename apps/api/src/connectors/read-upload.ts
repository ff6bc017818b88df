import { type CreateConnectorBody, DeckhandError, type ValidationIssue, validationFailed } from '@deckhand/contracts';
import { type FileProcesses, NodeError } from '@deckhand/engine';
import { type BuiltInConnectors, type ConnectorTexts, readConnector } from '@deckhand/nodes';

/** What reading connectors of others needs. */
export interface UploadReader {
  /** The processes that read them. */
  readonly fileProcesses: FileProcesses;
  readonly builtIn: BuiltInConnectors;
}

/**
 * Reads the pack and the document of a body, in a process of its own. Without a pack, the connector has all operations
 * of the document.
 * @throws DeckhandError VALIDATION_FAILED that names the members at fault; SERVICE_UNAVAILABLE without memory for the
 * process; the signal's reason.
 */
export async function readUpload(
  body: CreateConnectorBody,
  { fileProcesses, builtIn }: UploadReader,
  signal: AbortSignal,
): Promise<ConnectorTexts> {
  const { document, workspaceId } = body;
  const names = { pack: 'pack', document: 'document' };
  const pack = body.pack ?? packOf(body);
  const read = await readConnector({
    pack: { name: names.pack, text: pack },
    document: { name: names.document, text: document },
    ...{ processes: fileProcesses, workspaceId, signal },
  }).catch((error: unknown) => {
    if (error instanceof NodeError && error.code === 'MEMORY_EXCEEDED')
      throw new DeckhandError('SERVICE_UNAVAILABLE', { message: error.message, headers: { 'Retry-After': '5' } });
    throw error;
  });
  if ('issues' in read) throw validationFailed(read.issues.map(inBody));
  const { texts } = read;
  const isBuiltIn = (await builtIn.list()).some((each) => each.name === texts.name);
  const path = body.pack === undefined ? 'name' : 'pack.name';
  if (isBuiltIn) throw validationFailed([{ path, message: `"${texts.name}" is the name of a built-in connector` }]);
  return texts;
}

function packOf({ name, version }: CreateConnectorBody): string {
  const missing = Object.entries({ name, version }).filter(([, value]) => value === undefined);
  if (missing.length > 0)
    throw validationFailed(missing.map(([path]) => ({ path, message: 'is required without a pack' })));
  return JSON.stringify({ name, version, operations: 'all' });
}

function inBody({ file, path, message }: ValidationIssue & { readonly file: string }): ValidationIssue {
  return { path: path === '' ? file : `${file}.${path}`, message };
}
