import { type Definition, isJsonObject, type NodeDefinition, type NodeTypeEntry } from '@deckhand/contracts';

/** Node types by name. */
export type NodeTypes = ReadonlyMap<string, NodeTypeEntry>;

/** The output that is taken after an error, if `onError` is `branch`. */
const ERROR_HANDLE = 'error';

/** Returns the outputs of a node, in order. A type without named outputs has one, which is undefined here. */
export function outputHandles(node: NodeDefinition, types: NodeTypes): readonly (string | undefined)[] {
  const own = ownHandles(node, types);
  // A try has an output of this name anyway.
  return [
    ...new Set([...(own.length === 0 ? [undefined] : own), ...(node.onError === 'branch' ? [ERROR_HANDLE] : [])]),
  ];
}

/** Returns the first output of a node that has no edge yet; the first one if all have. */
export function freeHandle(node: NodeDefinition, { edges }: Definition, types: NodeTypes): string | undefined {
  const handles = outputHandles(node, types);
  const isFree = (handle: string | undefined): boolean =>
    !edges.some(({ source, sourceHandle }) => source === node.id && sourceHandle === handle);
  return handles.some(isFree) ? handles.find(isFree) : handles[0];
}

/** Returns the named outputs of a node, in order. */
export function handlesOf(node: NodeDefinition, types: NodeTypes): readonly string[] {
  return outputHandles(node, types).filter((handle) => handle !== undefined);
}

function ownHandles({ type, parameters = {} }: NodeDefinition, types: NodeTypes): readonly string[] {
  // The outputs of two types depend on their parameters; the list of node types has those of a node without parameters.
  if (type === 'switch') return [...caseHandles(parameters.cases), 'default'];
  if (type === 'approval' && Array.isArray(parameters.choices)) return texts(parameters.choices);
  return types.get(type)?.handles ?? [];
}

function caseHandles(cases: unknown): string[] {
  return Array.isArray(cases) ? texts(cases.map((entry: unknown) => (isJsonObject(entry) ? entry.handle : null))) : [];
}

function texts(values: readonly unknown[]): string[] {
  return [...new Set(values.filter((value): value is string => typeof value === 'string' && value !== ''))];
}
