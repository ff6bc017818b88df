import type { Action } from '@deckhand/connectors';
import { parseOwnJson } from '@deckhand/contracts';
import type { ConnectorOperation, Connectors, OperationName } from '@deckhand/engine';
import { LRUCache } from 'lru-cache';
import type { InputChecker } from '../schemas/input-checker.ts';
import type { BuiltInConnectors } from './built-in.ts';
import { type ConnectorHead, openOperation, type StoredOperation } from './open-operation.ts';

/** Maximum number of operations in memory, and of characters of their JSON. */
const MAX_OPERATIONS = 1_000;
const MAX_CHARS = 33_554_432;

/** The connectors of workspaces. */
export interface ConnectorStore {
  /**
   * Returns the id of the connector of a workspace that has the operation; undefined without one. What it has never
   * changes, and its id is not used again.
   */
  findId(workspaceId: string, name: OperationName): Promise<string | undefined>;
  /** Reads an operation of a connector; undefined if it was deleted meanwhile. */
  read(id: string, operation: string): Promise<StoredOperation | undefined>;
}

/** What finding connectors needs. */
export interface ConnectorParts {
  readonly store: ConnectorStore;
  readonly builtIn: BuiltInConnectors;
  readonly checkInput: InputChecker;
}

/**
 * Creates the finder of operations. A connector of the workspace comes before a built-in one of the same name. Those
 * that were used last are kept in memory; whether the workspace still has one is looked up each time.
 */
export function createConnectors({ store, builtIn, checkInput }: ConnectorParts): Connectors {
  const opened = new LRUCache<string, ConnectorOperation>({ max: MAX_OPERATIONS, maxSize: MAX_CHARS });

  function open(id: string, workspaceId: string, { head, action }: StoredOperation): ConnectorOperation {
    const parsed = parseOwnJson<Action>(action);
    const inputSchema = JSON.stringify({ schema: parsed.operation.schema });
    // The checker keeps what it has compiled by these two, which never change their meaning.
    const schema = { workspaceId, workflowVersionId: id, triggerNodeId: parsed.id, inputSchema };
    const operation = openOperation(parseOwnJson<ConnectorHead>(head), parsed, async (values) => {
      const { issues } = await checkInput(JSON.stringify(values), schema);
      return issues;
    });
    return { ...operation, isBuiltIn: workspaceId === '' };
  }

  async function load(
    id: string,
    workspaceId: string,
    operation: string,
    read: () => Promise<StoredOperation | undefined>,
  ) {
    const key = `${id} ${operation}`;
    const known = opened.get(key);
    if (known) return known;
    const stored = await read();
    if (!stored) return undefined;
    const found = open(id, workspaceId, stored);
    opened.set(key, found, { size: stored.head.length + stored.action.length });
    return found;
  }

  return {
    async find(workspaceId, name) {
      const { connector, version, operation } = name;
      const id = await store.findId(workspaceId, name);
      if (id !== undefined) return load(id, workspaceId, operation, () => store.read(id, operation));
      const own = `${connector} ${version}`;
      return load(own, '', operation, () => builtIn.read(name));
    },
  };
}
