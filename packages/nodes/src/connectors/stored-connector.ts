import type { Action, Connector } from '@deckhand/connectors';
import {
  type ConnectorPack,
  type ConnectorSummary,
  isJsonObject,
  type OperationDetails,
  type OperationEntry,
  parseOwnJson,
} from '@deckhand/contracts';
import type { ConnectorHead, StoredOperation } from './open-operation.ts';

/** Maximum length of an operation as JSON, in characters: a run reads it when it first calls it. */
const MAX_OPERATION_CHARS = 1_048_576;

/** A connector as it is stored: texts are JSON. */
export interface ConnectorTexts {
  readonly name: string;
  readonly version: string;
  readonly head: string;
  readonly summary: string;
  readonly operations: readonly { readonly id: string; readonly summary: string; readonly action: string }[];
}

/** Returns a connector as it is stored, or the id of the first operation that is too large for that. */
export function toConnectorTexts(connector: Connector): ConnectorTexts | { readonly tooLarge: string } {
  const { actions, ...head } = connector;
  const operations = actions.map((action) => ({
    id: action.id,
    summary: JSON.stringify(operationEntry(action)),
    action: JSON.stringify(action),
  }));
  const excess = operations.find(({ action }) => action.length > MAX_OPERATION_CHARS);
  if (excess) return { tooLarge: excess.id };
  const summary = JSON.stringify(connectorSummary(head, actions.length));
  return { name: head.name, version: head.version, head: JSON.stringify(head), summary, operations };
}

/** Returns what lists show of a connector. */
export function connectorSummary(
  { title, description, icon, credentials = [] }: Omit<ConnectorPack, 'operations'>,
  operationCount: number,
): ConnectorSummary {
  return { title, description: description ?? null, icon: icon ?? null, credentials, operationCount };
}

/** Returns what lists show of an operation. */
export function operationEntry({
  id,
  title,
  description,
  paging,
}: Pick<Action, 'id' | 'title' | 'description' | 'paging'>): OperationEntry {
  return { id, title, description: description ?? null, hasPages: paging !== undefined };
}

/** Returns an operation with the form of its values. */
export function operationDetails(stored: StoredOperation): OperationDetails {
  const { name, version, credentials = [] } = parseOwnJson<ConnectorHead>(stored.head);
  const action = parseOwnJson<Action>(stored.action);
  const { method, schema, response } = action.operation;
  return {
    ...{ connector: name, version, ...operationEntry(action), method, schema },
    ...{ response: isJsonObject(response) ? response : null, options: action.options, credentials },
  };
}
