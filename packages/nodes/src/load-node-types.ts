import type { NodeType, NodeTypes } from '@deckhand/engine';
import { readdir } from 'node:fs/promises';

/** The sources in tests, the compiled files otherwise; not declarations, maps and tests. */
const NODE_TYPE_FILE = /^(?!.*\.(?:test|d)\.).+\.[jt]s$/;

/**
 * Loads every node type: each file of `types/` exports one as its default. Adding a file there adds a node type.
 * @throws when two files define the same type.
 */
export async function loadNodeTypes(): Promise<NodeTypes> {
  const folder = new URL('./types/', import.meta.url);
  const files = (await readdir(folder)).filter((file) => NODE_TYPE_FILE.test(file)).sort();
  const types = new Map<string, NodeType>();
  // One after another: the module loader of the test runner cannot handle several at once.
  for (const file of files) {
    const module: unknown = await import(new URL(file, folder).href);
    const type = toNodeType(module, file);
    if (types.has(type.type)) throw new Error(`two files define the node type ${type.type}`);
    types.set(type.type, type);
  }
  return types;
}

/** @throws when a file's default export is not a node type. */
function toNodeType(module: unknown, file: string): NodeType {
  if (typeof module === 'object' && module !== null && 'default' in module && isNodeType(module.default)) {
    return module.default;
  }
  throw new Error(`types/${file} does not export a node type as its default`);
}

function isNodeType(value: unknown): value is NodeType {
  return typeof value === 'object' && value !== null && 'type' in value && 'run' in value && 'validate' in value;
}
