import type { EdgeDefinition, ValidationIssue } from '@deckhand/contracts';
import { didYouMean, type SuggestionBudget } from '../similar-name.ts';
import type { SoundNode } from './check-nodes.ts';
import { BODY_HANDLE } from './loops.ts';

/** Returns the issues of agents that say something about nodes that are not their tools. */
export function checkTools(
  nodes: readonly SoundNode[],
  edges: readonly { readonly edge: EdgeDefinition }[],
  budget: SuggestionBudget,
): ValidationIssue[] {
  return nodes.flatMap(({ node, path, type }): ValidationIssue[] => {
    const named = type.agent?.named(node.parameters ?? {}) ?? [];
    if (named.length === 0) return [];
    const tools = new Set(
      edges.flatMap(({ edge }) => (edge.source === node.id && edge.sourceHandle === BODY_HANDLE ? [edge.target] : [])),
    );
    return named
      .filter(({ nodeId }) => !tools.has(nodeId))
      .map(({ path: parameter, nodeId }) => ({
        path: `${path}.parameters.${parameter}`,
        message: `the output body does not lead to "${nodeId}"${didYouMean(nodeId, tools, budget)}`,
      }));
  });
}
