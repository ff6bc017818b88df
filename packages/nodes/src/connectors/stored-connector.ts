import type { Action } from '@deckhand/connectors';
import {
  type ConnectorPack,
  type ConnectorSummary,
  isJsonObject,
  type OperationDetails,
  type OperationEntry,
  parseOwnJson,
} from '@deckhand/contracts';
import type { ConnectorHead, StoredOperation } from './open-operation.ts';

/** A connector as it is stored: texts are JSON. */
export interface ConnectorTexts {
  readonly name: string;
  readonly version: string;
  readonly head: string;
  readonly summary: string;
  readonly operations: readonly { readonly id: string; readonly summary: string; readonly action: string }[];
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
