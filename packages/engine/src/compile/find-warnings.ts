import type { ValidationIssue } from '@deckhand/contracts';
import { retryDelayMs } from '../run/progress.ts';
import type { CompiledWorkflow, GraphNode } from './graph.ts';

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

/**
 * Finds nodes with `onError: "branch"` that no edge leaves at `error`: their failures would end the branch, and the run
 * would succeed.
 */
function findBranchWarnings({ definition }: CompiledWorkflow): ValidationIssue[] {
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

/** A time limit that a node sets itself. */
interface NodeLimit {
  /** The path of the setting, relative to the node. */
  readonly path: string;
  readonly text: string;
  readonly ms: number;
  /** Whether the node rests during that time, so that no worker holds the run. */
  readonly isRest: boolean;
}

/**
 * Finds the limits of nodes that are longer than the limit of the run, which ends first. The default limit of a run
 * counts only time in which a worker holds it, so it does not limit a rest.
 */
function findLimitWarnings({ definition, nodes, timeoutMs, countsHeldTime }: CompiledWorkflow): ValidationIssue[] {
  const ofRun = `${timeoutMs / 1_000} s (${countsHeldTime ? 'the default' : 'settings.timeoutSeconds'})`;
  return definition.nodes.flatMap(({ id, disabled }, index) => {
    const node = nodes.get(id);
    if (!node || disabled === true) return [];
    return limitsOf(node)
      .filter(({ ms, isRest }) => ms > timeoutMs && !(isRest && countsHeldTime))
      .map(({ path, text }) => ({
        path: `nodes[${index}].${path}`,
        message: `${text} longer than the limit of its run, ${ofRun}`,
      }));
  });
}

function limitsOf({ id, type, definition, retry, timeoutMs }: GraphNode): NodeLimit[] {
  const limits: NodeLimit[] = [];
  const isHeeded = type.unheeded?.(definition.parameters ?? {}).timeoutSeconds === undefined;
  if (timeoutMs !== undefined && isHeeded) {
    const text = `The time limit of node "${id}", ${timeoutMs / 1_000} s, is`;
    limits.push({ path: 'timeoutSeconds', text, ms: timeoutMs, isRest: false });
  }
  const name = type.restSeconds;
  const seconds = name === undefined ? undefined : definition.parameters?.[name];
  if (typeof seconds === 'number') {
    const text = `The wait of node "${id}", up to ${seconds} s, is`;
    limits.push({ path: `parameters.${name}`, text, ms: seconds * 1_000, isRest: true });
  }
  if (retry) {
    const ms = sumOfDelays(retry);
    const text = `The retry delays of node "${id}", up to ${ms / 1_000} s in all, are`;
    limits.push({ path: 'retry', text, ms, isRest: true });
  }
  return limits;
}

function sumOfDelays(retry: NonNullable<GraphNode['retry']>): number {
  let sum = 0;
  for (let attempts = 1; attempts < retry.maxAttempts; attempts += 1) sum += retryDelayMs(retry, attempts, 0);
  return sum;
}
