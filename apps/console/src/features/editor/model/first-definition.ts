import type { Definition } from '@deckhand/contracts';
import { diffDefinitions } from '../../../graph/diff-definitions.ts';

/** The definition of a new workflow. It can run at once. */
export const FIRST_DEFINITION: Definition = {
  nodes: [{ id: 'start', type: 'trigger.manual', name: 'Start' }],
  edges: [],
};

/** Returns true if a definition has only the node of a new workflow, which nobody has changed. */
export function isFirst(definition: Definition): boolean {
  const { nodes, edges } = diffDefinitions(FIRST_DEFINITION, definition);
  return nodes.length === 0 && edges.length === 0;
}
