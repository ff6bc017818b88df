import type { EdgeDefinition, Execution } from '@deckhand/contracts';

/** Returns the predecessors of a node that have run, each once. */
export function sourcesOf(
  nodeId: string,
  edges: readonly EdgeDefinition[],
  progress: Execution['progress'],
): readonly string[] {
  const before = edges.filter(({ target }) => target === nodeId).map(({ source }) => source);
  return [...new Set(before)].filter((source) => {
    const { status, outputBytes } = progress[source] ?? { status: 'pending', outputBytes: 0 };
    return status === 'success' || outputBytes > 0;
  });
}
