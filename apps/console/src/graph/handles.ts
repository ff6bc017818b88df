import { type Definition, handlesFor, type NodeDefinition, type NodeTypeEntry } from '@deckhand/contracts';

/** Node types by name. */
export type NodeTypes = ReadonlyMap<string, NodeTypeEntry>;

/** The output that is taken after an error, if `onError` is `branch`. */
export const ERROR_HANDLE = 'error';

/** Returns the outputs of a node, in order. A type without named outputs has one, which is undefined here. */
export function outputHandles(node: NodeDefinition, types: NodeTypes): readonly (string | undefined)[] {
  const type = types.get(node.type);
  const own = type ? handlesFor(type, node.parameters ?? {}) : [];
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
