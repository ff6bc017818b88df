import type { Definition, NodeDefinition } from '@deckhand/contracts';

/** The output of a loop that leads into its body. */
const BODY = 'body';

/** The ids of the nodes that lead to a node, the nearest first. */
export function nodesBefore({ edges }: Definition, nodeId: string): string[] {
  const found = new Set([nodeId]);
  // A set is walked with what is added on the way.
  for (const id of found) for (const { source, target } of edges) if (target === id) found.add(source);
  found.delete(nodeId);
  return [...found];
}

/** The innermost loop whose body a node is in. */
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
    // A body holds those of the loops in it.
    .sort((a, b) => a.body.size - b.body.size);
  return bodies[0]?.loop;
}

/** The nodes right before a node, each once; `isItem` where what comes from there is an item of the loop around it. */
export function sourcesOf({ edges }: Definition, nodeId: string, loopId: string | undefined) {
  const ids = new Set(edges.flatMap(({ source, target }) => (target === nodeId ? [source] : [])));
  return [...ids].map((id) => ({ nodeId: id, isItem: id === loopId }));
}
