import type { ValidationIssue } from '@deckhand/contracts';
import type { CompiledWorkflow } from './graph.ts';

/**
 * Finds nodes with `onError: "branch"` that no edge leaves at `error`: their failures would end the branch, and the run
 * would succeed.
 * @returns warnings for the author, with paths like those of issues.
 */
export function findBranchWarnings({ definition }: CompiledWorkflow): ValidationIssue[] {
  const handled = new Set(
    definition.edges.flatMap(({ source, sourceHandle }) => (sourceHandle === 'error' ? [source] : [])),
  );
  return definition.nodes.flatMap(({ id, onError, disabled }, index) =>
    onError !== 'branch' || disabled === true || handled.has(id)
      ? []
      : [
          {
            path: `nodes[${index}].onError`,
            message: `Node "${id}": onError is "branch", and no edge leaves it at "error": a failure is not noticed`,
          },
        ],
  );
}
