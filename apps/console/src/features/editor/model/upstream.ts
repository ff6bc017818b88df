import type { Definition, NodeDefinition } from '@deckhand/contracts';
import { memberPath } from '../../../components/json-rows.ts';
import type { SampleSource } from '../../../forms/sample-data.ts';
import { type Container, containersOf } from '../../../graph/containers.ts';
import { ERROR_HANDLE, type NodeTypes } from '../../../graph/handles.ts';

/** Returns the ids of the nodes before a node, the nearest first. */
export function nodesBefore({ edges }: Definition, nodeId: string): string[] {
  const found = new Set([nodeId]);
  // Iterating over a set includes elements that are added meanwhile.
  for (const id of found) for (const { source, target } of edges) if (target === id) found.add(source);
  found.delete(nodeId);
  return [...found];
}

/** Returns the innermost loop or agent whose body contains a node: its `$loop` is that of this one. */
export function loopAround(definition: Definition, nodeId: string, types: NodeTypes): NodeDefinition | undefined {
  return containersAround(definition, nodeId, types).find(({ kind }) => kind !== 'try')?.node;
}

/** Returns the containers whose bodies contain a node, the innermost first. */
export function containersAround(definition: Definition, nodeId: string, types: NodeTypes): readonly Container[] {
  return containersOf(definition, types).filter(({ body }) => body.has(nodeId));
}

/**
 * Returns the expression of the data from a node in the fields of another; undefined if these cannot read it.
 * @param triggerId the trigger of the run.
 */
export function expressionOf(
  definition: Definition,
  { of, at, triggerId, types }: { of: string; at: string; triggerId: string; types: NodeTypes },
): string | undefined {
  if (of === triggerId) return '$trigger';
  if (containersAround(definition, at, types).some(({ node }) => node.id === of)) {
    // Its output does not exist yet; what it passes to the beginning of its body is the input.
    const sources = sourcesOf(definition, at, types);
    return sources.length === 1 && sources[0]?.nodeId === of ? '$input' : undefined;
  }
  if (!nodesBefore(definition, at).includes(of)) return undefined;
  return `$nodes${memberPath(of)}.output`;
}

/** Returns the direct predecessors of a node, each once, and what comes from them. */
export function sourcesOf(definition: Definition, nodeId: string, types: NodeTypes): SampleSource[] {
  const { edges } = definition;
  const containers = containersAround(definition, nodeId, types);
  const loopId = containers.find(({ kind }) => kind !== 'try')?.node.id;
  const comesFrom = (id: string): SampleSource['gives'] => {
    if (id === loopId) return 'item';
    const isTry = containers.some(({ node, kind }) => node.id === id && kind === 'try');
    // Where a half-drawn graph leads in a circle, a try is not an end of the way to the input.
    return isTry && !nodesBefore(definition, id).includes(nodeId) ? 'input' : 'output';
  };
  const ids = new Set(edges.flatMap(({ source, target }) => (target === nodeId ? [source] : [])));
  return [...ids].map((id) => ({ nodeId: id, gives: comesFrom(id) }));
}

/** What a node has done when another one reads its output: ended well, failed and been handled, or either. */
export type Outcome = 'success' | 'error' | 'either';

/** Returns the outcomes of a node that one after it can see: `error` where only its output of that name leads. */
export function outcomeOf(
  { nodes, edges }: Definition,
  { of, at, types }: { of: string; at: string; types: NodeTypes },
): Outcome {
  const node = nodes.find(({ id }) => id === of);
  if (node?.onError === 'continue') return 'either';
  if (node?.onError !== 'branch' && (!node || types.get(node.type)?.container !== 'try')) return 'success';
  const leadsBy = (isError: boolean): boolean => {
    const others = edges.filter((edge) => edge.source !== of || (edge.sourceHandle === ERROR_HANDLE) === isError);
    return nodesBefore({ nodes, edges: others }, at).includes(of);
  };
  if (!leadsBy(true)) return 'success';
  return leadsBy(false) ? 'either' : 'error';
}
