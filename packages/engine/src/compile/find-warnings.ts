import type { ValidationIssue } from '@deckhand/contracts';
import { findBranchWarnings } from './branch-warnings.ts';
import type { CompiledWorkflow, GraphNode } from './graph.ts';
import { findLimitWarnings } from './limit-warnings.ts';

/**
 * Finds parts of a valid definition that may be unintended: what types of nodes warn of, nodes that cannot decide by
 * which output the run goes on, and time limits that exceed the run's.
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
  return [
    ...ofTypes,
    ...findSettingWarnings(workflow),
    ...findBranchWarnings(workflow),
    ...findLimitWarnings(workflow),
  ];
}

/** Finds settings of nodes, outside their parameters, that do not do what they seem to. */
function findSettingWarnings({ definition, nodes }: CompiledWorkflow): ValidationIssue[] {
  return definition.nodes.flatMap(({ id }, index) => {
    const node = nodes.get(id);
    return node
      ? settingWarnings(node).map(({ path, message }) => ({
          path: `nodes[${index}].${path}`,
          message: `Node "${id}": ${message}`,
        }))
      : [];
  });
}

function settingWarnings(node: GraphNode): ValidationIssue[] {
  return [...unheededSettings(node), ...choiceWarnings(node)];
}

/** Finds `retry` and `timeoutSeconds` of a node whose type does not heed them. */
function unheededSettings({ definition, type }: GraphNode): ValidationIssue[] {
  if (definition.disabled === true) return [];
  const notes = type.isTrigger ? UNHEEDED_BY_TRIGGERS : (type.unheeded?.(definition.parameters ?? {}) ?? {});
  return (['retry', 'timeoutSeconds'] as const).flatMap((path) => {
    const note = notes[path];
    return definition[path] === undefined || note === undefined ? [] : [{ path, message: `${path} ${note}` }];
  });
}

const UNHEEDED_BY_TRIGGERS = { retry: 'has no effect on a trigger', timeoutSeconds: 'has no effect on a trigger' };

function choiceWarnings({ definition, handles, outgoing, type }: GraphNode): ValidationIssue[] {
  if (handles.size === 0 || outgoing.length === 0 || type.undecidedHandle !== undefined) return [];
  const takesNone = 'takes none of its outputs, because each is a choice that it has not made';
  if (definition.disabled === true) return [{ path: 'disabled', message: `while it is disabled, it ${takesNone}` }];
  return definition.onError === 'continue'
    ? [{ path: 'onError', message: `after an error, it ${takesNone}; with "branch", the run goes on at "error"` }]
    : [];
}
