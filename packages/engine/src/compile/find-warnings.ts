import type { ValidationIssue } from '@deckhand/contracts';
import { findBranchWarnings } from './branch-warnings.ts';
import type { CompiledWorkflow } from './graph.ts';
import { findLimitWarnings } from './limit-warnings.ts';

/**
 * Finds parts of a valid definition that may be unintended: what types of nodes warn of, and time limits that exceed
 * the run's.
 * @returns warnings for the author, with paths like those of issues.
 */
export function findWarnings(workflow: CompiledWorkflow): ValidationIssue[] {
  const ofTypes = workflow.definition.nodes.flatMap(({ id, disabled, parameters = {} }, index) => {
    const warnings = disabled === true ? [] : (workflow.nodes.get(id)?.type.warn?.(parameters) ?? []);
    return warnings.map(({ path, message }) => ({
      path: `nodes[${index}].parameters.${path}`,
      message: `Node "${id}": ${message}`,
    }));
  });
  return [...ofTypes, ...findBranchWarnings(workflow), ...findLimitWarnings(workflow)];
}
