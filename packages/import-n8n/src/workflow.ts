import { isJsonObject, type JsonObject, type JsonValue } from '@deckhand/contracts';

/** A node of n8n, as its export has it. */
export interface N8nNode {
  readonly name: string;
  /** Such as `n8n-nodes-base.httpRequest`. */
  readonly type: string;
  readonly version: number;
  readonly parameters: JsonObject;
  readonly isDisabled: boolean;
  /** The whole node, for stubs. */
  readonly original: JsonObject;
}

/** A connection from an output of a node to an input of another. */
export interface N8nConnection {
  readonly source: string;
  readonly output: number;
  readonly target: string;
  readonly input: number;
  /** `main` for data; others connect models, tools and memories to agents. */
  readonly kind: string;
}

/** A workflow of n8n. */
export interface N8nWorkflow {
  readonly name: string;
  readonly nodes: readonly N8nNode[];
  readonly connections: readonly N8nConnection[];
  readonly settings: JsonObject;
  /** Output that the editor keeps for tests, by the name of the node. */
  readonly pinned: readonly string[];
  readonly tags: readonly string[];
  readonly hasStaticData: boolean;
  /** How many connections have no node at one of their ends. */
  readonly danglingConnections: number;
}

/** Maximum number of nodes of a workflow. */
const MAX_NODES = 1_000;
/** Maximum number of connections of a workflow. */
const MAX_CONNECTIONS = 5_000;
/** Maximum number of outputs or inputs of a node. */
const MAX_PORTS = 100;
/** Maximum length of a node's name or type, in characters. */
const MAX_NAME = 200;

/** The JSON is not a workflow of n8n. */
export class NotAWorkflowError extends Error {
  override readonly name = 'NotAWorkflowError';
}

/** Reads the export of a workflow. @throws NotAWorkflowError for other JSON. */
export function readWorkflow(json: unknown): N8nWorkflow {
  if (!isJsonObject(json) || !Array.isArray(json.nodes)) throw new NotAWorkflowError('has no list of nodes');
  if (json.nodes.length > MAX_NODES) throw new NotAWorkflowError(`has more than ${MAX_NODES} nodes`);
  const nodes = list(json.nodes).map(readNode);
  const names = new Set(nodes.map(({ name }) => name));
  if (names.size < nodes.length) throw new NotAWorkflowError('has several nodes of the same name');
  const all = readConnections(json.connections);
  const connections = all.filter(({ source, target }) => names.has(source) && names.has(target));
  if (connections.length > MAX_CONNECTIONS) {
    throw new NotAWorkflowError(`has more than ${MAX_CONNECTIONS} connections`);
  }
  return {
    name: text(json.name) ?? 'Imported from n8n',
    nodes,
    connections,
    settings: object(json.settings),
    pinned: Object.keys(object(json.pinData)),
    tags: list(json.tags).map((tag) => show(object(tag).name ?? tag)),
    hasStaticData: Object.keys(object(json.staticData)).length > 0,
    danglingConnections: all.length - connections.length,
  };
}

function readNode(node: unknown): N8nNode {
  if (!isJsonObject(node)) throw new NotAWorkflowError('has a node that is not an object');
  const [name, type] = [text(node.name), text(node.type)];
  if (name === undefined || type === undefined) throw new NotAWorkflowError('has a node without name or type');
  if (Math.max(name.length, type.length) > MAX_NAME) {
    throw new NotAWorkflowError(`has a node whose name or type is longer than ${MAX_NAME} characters`);
  }
  return {
    name,
    type,
    version: versionOf(node.typeVersion),
    parameters: object(node.parameters),
    isDisabled: node.disabled === true,
    original: node,
  };
}

/** n8n compares versions as numbers, also those that a program wrote as text. */
function versionOf(typeVersion: unknown): number {
  const version = typeof typeVersion === 'string' ? Number(typeVersion) : typeVersion;
  return typeof version === 'number' && Number.isFinite(version) ? version : 1;
}

/** `connections` is by the name of the source, the kind, and the output. */
function readConnections(given: unknown): N8nConnection[] {
  return Object.entries(object(given)).flatMap(([source, kinds]) =>
    Object.entries(object(kinds)).flatMap(([kind, outputs]) =>
      list(outputs).flatMap((targets, output) =>
        list(targets).flatMap((each): N8nConnection[] => {
          const { node: target, index = 0 } = object(each);
          if (typeof target !== 'string') throw new NotAWorkflowError(`has a connection of "${source}" to nothing`);
          if (typeof index !== 'number' || !isPort(index) || !isPort(output)) {
            throw new NotAWorkflowError(
              `has a connection of "${source}" beyond the first ${MAX_PORTS} outputs or inputs`,
            );
          }
          return [{ source, output, target, input: index, kind }];
        }),
      ),
    ),
  );
}

function isPort(index: number): boolean {
  return Number.isInteger(index) && index >= 0 && index < MAX_PORTS;
}

/** Returns a text that is not empty. */
export function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Returns an object; an empty one for anything else. */
export function object(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** Returns a list; an empty one for anything else. */
export function list(value: unknown): readonly JsonValue[] {
  return isList(value) ? value : [];
}

/** Returns whether JSON is a list. */
export function isList(value: unknown): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** Returns JSON as people read it: texts as they are. */
export function show(value: JsonValue = null): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Returns the entry of a table by a name that comes from the workflow, and may be that of an inherited member. */
export function lookup<T>(table: Readonly<Record<string, T>>, name: JsonValue | undefined): T | undefined {
  return typeof name === 'string' && Object.hasOwn(table, name) ? table[name] : undefined;
}

const PACKAGE = 'n8n-nodes-base.';

/** Returns the type without the name of n8n's own package; types of other packages keep theirs. */
export function shortType(type: string): string {
  return type.startsWith(PACKAGE) ? type.slice(PACKAGE.length) : type;
}
