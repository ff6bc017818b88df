import type { JsonValue, NodeDefinition } from '@deckhand/contracts';
import type { Conversion, Converted, Output } from './nodes/converter.ts';
import { listOf } from './nodes/merge.ts';
import { withErrors } from './errors.ts';
import { unsupported } from './unsupported.ts';
import { show } from './workflow.ts';

/** Longest time between tries, in ms. n8n itself waits for 5 s at most. */
const MAX_DELAY_MS = 86_400_000;

/** Adds retries, what happens on errors, and that a node is turned off. @throws UnsupportedError */
export function withOptions(
  converted: Converted,
  conversion: Pick<Conversion, 'node' | 'input' | 'inputs' | 'hasAllInputs' | 'review'>,
): Converted {
  const { node, input, review } = conversion;
  const { name, original, isDisabled } = node;
  const [first] = converted.nodes;
  if (!first) return converted;
  if (isDisabled) return disabled(converted, first, conversion);
  const { retryOnFail, maxTries = 3, waitBetweenTries = 1_000 } = original;
  const maxAttempts = Math.min(Math.max(wholeNumber(maxTries, 'the number of tries'), 1), 10);
  const delayMs = Math.min(Math.max(wholeNumber(waitBetweenTries, 'the time between tries'), 0), MAX_DELAY_MS);
  const retry = retryOnFail === true ? { retry: { maxAttempts, delayMs, factor: 1 } } : {};
  const onError = original.continueOnFail === true ? 'continueRegularOutput' : (original.onError ?? 'stopWorkflow');
  const tried = { ...converted, nodes: withRetry(converted.nodes, retry, review) };
  if (onError !== 'continueRegularOutput' && onError !== 'continueErrorOutput') return tried;
  return withErrors(tried, onError, { name, input, review });
}

/** Node types that have effects elsewhere. */
const EFFECTS = new Set(['agent', 'connector', 'http', 'workflow', 'email', 'postgres', 'model']);

/**
 * Adds retries to the nodes that may fail: for a list, that is the one in the loop. The tools of an agent, in its body,
 * have retries of their own.
 */
function withRetry(
  nodes: readonly NodeDefinition[],
  retry: Pick<NodeDefinition, 'retry'>,
  review: (message: string) => void,
): readonly NodeDefinition[] {
  const [first] = nodes;
  const agents = nodes.filter(({ type }) => type === 'agent');
  const effects = agents.length > 0 ? agents.slice(0, 1) : nodes.filter(({ type }) => EFFECTS.has(type));
  const tried = new Set(effects.length > 0 ? effects : nodes.slice(0, 1));
  if (retry.retry && first && !tried.has(first))
    review('the item that failed alone is tried again, in n8n all of them');
  if (retry.retry && tried.size > 1) review('each of its requests is tried again, in n8n all of them');
  return nodes.map((node) => (tried.has(node) ? { ...node, ...retry } : node));
}

/** Node types whose edges name an output, which they choose while they run. */
const CHOICES = new Set(['if', 'switch', 'loop']);

/** A node that is turned off passes its input on, through its first output. One that would choose is empty. */
function disabled(
  { nodes, outputs }: Converted,
  first: NodeDefinition,
  conversion: Pick<Conversion, 'input' | 'inputs' | 'hasAllInputs' | 'review'>,
): Converted {
  const isOne = nodes.length === 1 && !CHOICES.has(first.type);
  if (!isOne) conversion.review('it is disabled, and an empty node here: its parameters are left out');
  const { id, name } = first;
  const empty: NodeDefinition = { id, type: 'set', name, parameters: { fields: {} } };
  const passed = outputs.slice(0, 1).map(() => passedOn(id, conversion));
  return { nodes: [{ ...(isOne ? first : empty), disabled: true }], edges: [], outputs: passed };
}

/** Returns the output of a node that is turned off. That of several inputs has no items if its first has none. */
export function passedOn(
  nodeId: string,
  { input, inputs, hasAllInputs }: Pick<Conversion, 'input' | 'inputs' | 'hasAllInputs'>,
): Output {
  if (inputs.length < 2 || hasAllInputs) return { nodeId, source: input };
  return { nodeId, source: { ...input, text: listOf(input), shape: 'list' }, mayBeEmpty: true };
}

function wholeNumber(value: JsonValue, what: string): number {
  return Number.isInteger(value) ? Number(value) : unsupported(`${what} is ${show(value)}`);
}
