import type { ValidationIssue } from '@deckhand/contracts';
import { retryDelayMs } from '../run/retry.ts';
import type { CompiledWorkflow, GraphNode } from './graph.ts';

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
 * @returns warnings for the author, with paths like those of issues.
 */
export function findLimitWarnings({
  definition,
  nodes,
  timeoutMs,
  countsHeldTime,
}: CompiledWorkflow): ValidationIssue[] {
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
