import type { Definition, EdgeDefinition, Execution, NodeProgress } from '@deckhand/contracts';
import { BODY } from '../../graph/containers.ts';
import type { NodeTypes } from '../../graph/handles.ts';

/** Returns the predecessors of a node that have run, each once. */
export function sourcesOf(
  nodeId: string,
  edges: readonly EdgeDefinition[],
  progress: Execution['progress'],
): readonly string[] {
  const before = edges.filter(({ target }) => target === nodeId).map(({ source }) => source);
  return [...new Set(before)].filter((source) => hasOutput(progress[source]));
}

/** Returns true if a node has run and has an output. */
export function hasOutput(progress: NodeProgress | undefined): boolean {
  return progress !== undefined && (progress.status === 'success' || progress.outputBytes > 0);
}

/** Returns the containers whose body a node begins: they pass it an item or their input, not their output. */
export function containersOf(nodeId: string, { nodes, edges }: Definition, types: NodeTypes): readonly string[] {
  const containers = new Set(
    nodes.flatMap(({ id, type }) => ((types.get(type)?.container ?? null) === null ? [] : [id])),
  );
  return edges
    .filter(({ source, sourceHandle, target }) => target === nodeId && sourceHandle === BODY && containers.has(source))
    .map(({ source }) => source);
}
