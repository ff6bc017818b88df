import {
  type Action,
  composeConnector,
  type Connector,
  type PackFiles,
  type PackIssue,
  readPack,
} from '@deckhand/connectors';
import { type ConnectorTexts, connectorSummary, operationEntry } from './stored-connector.ts';

/** Maximum length of an operation as JSON, in characters: a run reads it when it first calls it. */
const MAX_OPERATION_CHARS = 1_048_576;
/** Maximum length of a connector as JSON, in characters: operations of a pack may share one of the document. */
const MAX_CONNECTOR_CHARS = 33_554_432;

/** Maximum length of what lists show of a connector as JSON, in bytes: a page has up to 500 of them. */
const MAX_SUMMARY_BYTES = 16_384;

/** A connector as it is stored, or the issues of its files. */
export type ComposedTexts = { readonly texts: ConnectorTexts } | { readonly issues: readonly PackIssue[] };

/** Reads a pack and its document. Their author chooses what that costs, so it is done in a process of its own. */
export function composeTexts(files: PackFiles): ComposedTexts {
  const names = { pack: files.pack.name, document: files.document.name };
  const read = readPack(files);
  const composed = 'issues' in read ? read : composeConnector(read.source, names);
  return 'issues' in composed ? composed : toTexts(composed.connector, names);
}

function toTexts(
  { actions, ...head }: Connector,
  names: { readonly pack: string; readonly document: string },
): ComposedTexts {
  const operations: ConnectorTexts['operations'][number][] = [];
  let chars = 0;
  for (const action of actions) {
    const operation = toText(action);
    if (operation.action.length > MAX_OPERATION_CHARS)
      return issueOf(names.document, '', `has more about ${action.id} than an operation may have`);
    chars += operation.action.length;
    if (chars > MAX_CONNECTOR_CHARS) return issueOf(names.pack, 'operations', 'are too many, or too large');
    operations.push(operation);
  }
  const summary = JSON.stringify(connectorSummary(head, actions.length));
  if (Buffer.byteLength(summary) > MAX_SUMMARY_BYTES) {
    const message = `have, with the texts of the connector, more than ${MAX_SUMMARY_BYTES.toLocaleString('en')} bytes`;
    return issueOf(names.pack, 'credentials', message);
  }
  return { texts: { name: head.name, version: head.version, head: JSON.stringify(head), summary, operations } };
}

function toText(action: Action): ConnectorTexts['operations'][number] {
  return { id: action.id, summary: JSON.stringify(operationEntry(action)), action: JSON.stringify(action) };
}

function issueOf(file: string, path: string, message: string): ComposedTexts {
  return { issues: [{ file, path, message }] };
}
