import type { Definition, NodeDefinition } from '@deckhand/contracts';

/** The output of a loop that starts its body. */
const BODY = 'body';

/** Returns the ids of the nodes before a node, the nearest first. */
export function nodesBefore({ edges }: Definition, nodeId: string): string[] {
  const found = new Set([nodeId]);
  // Iterating over a set includes elements that are added meanwhile.
  for (const id of found) for (const { source, target } of edges) if (target === id) found.add(source);
  found.delete(nodeId);
  return [...found];
}

/** Returns the innermost loop whose body contains a node. */
export function loopAround({ nodes, edges }: Definition, nodeId: string): NodeDefinition | undefined {
  const bodies = nodes
    .filter(({ type }) => type === 'loop')
    .map((loop) => {
      const body = new Set(
        edges.flatMap(({ source, sourceHandle, target }) =>
          source === loop.id && sourceHandle === BODY ? [target] : [],
        ),
      );
      for (const id of body) for (const { source, target } of edges) if (source === id) body.add(target);
      return { loop, body };
    })
    .filter(({ body }) => body.has(nodeId))
    // A body contains the bodies of its inner loops.
    .sort((a, b) => a.body.size - b.body.size);
  return bodies[0]?.loop;
}

/**
 * Returns the direct predecessors of a node, each once. `isItem`: its output there is an item of the surrounding loop.
 */
export function sourcesOf({ edges }: Definition, nodeId: string, loopId: string | undefined) {
  const ids = new Set(edges.flatMap(({ source, target }) => (target === nodeId ? [source] : [])));
  return [...ids].map((id) => ({ nodeId: id, isItem: id === loopId }));
}
