import { braced } from './expressions/template.ts';
import type { Converted, Output } from './nodes/converter.ts';
import { asList, type Source } from './source.ts';

/** How the run of n8n goes on after an error of a node: with an item of it, or with one at an output of its own. */
export type Continuation = 'continueRegularOutput' | 'continueErrorOutput';

/** Node types whose n8n nodes return an item of the error, by their type here. */
const REPORTING = new Set(['http', 'code', 'set', 'workflow']);

/** Node types that do the work of a node of n8n, before the scripts that make items of what they return. */
const WORKING = new Set([...REPORTING, 'agent', 'connector', 'email', 'postgres', 'xml', 'hash', 'hmac', 'model']);

/** JavaScript that returns whether n8n takes an item for that of an error. */
const IS_ERROR =
  "const isError = (item) => Boolean(item?.error) && Object.keys(item).every((key) => ['error', 'message', 'details'].includes(key));";

/** Lets the run go on after an error, as n8n does. */
export function withErrors(
  converted: Converted,
  continuation: Continuation,
  { name, input, review }: { name: string; input: Source; review: (message: string) => void },
): Converted {
  const [output, ...others] = converted.outputs;
  const failing = converted.nodes.find(({ type }) => WORKING.has(type));
  if (!output || !failing || !REPORTING.has(failing.type) || others.length > 0 || output.handle === 'body') {
    review('if it fails, the run fails; in n8n, the run goes on');
    return converted;
  }
  review('the item of an error has another text in `error`, and that of a request an object with other members');
  if (failing.type === 'workflow' && output.nodeId !== failing.id) {
    review('items whose run fails are left out; in n8n, each is an item of its error');
  }
  const continued = caught(converted, { name, failing: failing.id, output });
  if (failing.type !== 'http' && input.shape === 'list' && output.source.shape === 'list') {
    review('if one item fails, all of them are left out; in n8n, each item fails alone');
  }
  return continuation === 'continueErrorOutput' ? apart(continued, { name, input }) : continued;
}

/** Replaces what a failed node returns with an item of its error. */
function caught(
  { nodes, edges }: Converted,
  { name, failing, output }: { name: string; failing: string; output: Output },
): Converted {
  const continuing = nodes.map((node) => (node.id === failing ? { ...node, onError: 'continue' as const } : node));
  // The item of a response has the error of its request already.
  const isRequest = nodes.some(({ id, type }) => id === failing && type === 'http');
  if (isRequest || output.nodeId !== failing) return { nodes: continuing, edges, outputs: [output] };
  const id = `${failing}__caught`;
  const { handle: _, ...passed } = output;
  const { shape, text } = output.source;
  const item = '{ error: error.message }';
  const source = [
    `const output = $nodes.${failing}.output;`,
    'const error = output?.error;',
    'const hasFailed = error?.code !== undefined && error.message !== undefined && Object.keys(output).length === 1;',
    `return hasFailed ? ${shape === 'list' ? `[${item}]` : item} : ${text};`,
  ].join('\n');
  const from = { source: failing, target: id, ...(output.handle !== undefined && { sourceHandle: output.handle }) };
  return {
    nodes: [...continuing, { id, type: 'code', name: `${name}: or error`, parameters: { source } }],
    edges: [...edges, from],
    outputs: [{ ...passed, nodeId: id, source: { shape, text: `$nodes.${id}.output` } }],
  };
}

/** Gives items of errors an output of their own, where each also has the fields of the item that failed. */
function apart({ nodes, edges, outputs }: Converted, { name, input }: { name: string; input: Source }): Converted {
  const [output] = outputs;
  if (!output) return { nodes, edges, outputs };
  const { shape, text } = output.source;
  const id = `${nodes[0]?.id ?? output.nodeId}__apart`;
  const source = [
    IS_ERROR,
    `const items = ${asList(output.source)};`,
    `const given = ${asList(input)};`,
    'const isPaired = given.length === items.length;',
    'const failed = items.flatMap((item, index) => (isError(item) ? [{ ...(isPaired ? given[index] : {}), ...item }] : []));',
    'return { done: items.filter((item) => !isError(item)), failed };',
  ].join('\n');
  const script = { id, type: 'code', name: `${name}: errors apart`, parameters: { source } };
  const from = {
    source: output.nodeId,
    target: id,
    ...(output.handle !== undefined && { sourceHandle: output.handle }),
  };
  if (shape === 'list') {
    const of = (label: string): Output => {
      return { nodeId: id, source: { shape, text: `$nodes.${id}.output.${label}` }, mayBeEmpty: true, label };
    };
    return { nodes: [...nodes, script], edges: [...edges, from], outputs: [of('done'), of('failed')] };
  }
  const choose = `${id}__if`;
  const condition = braced(`$nodes.${id}.output.failed.length === 0`);
  return {
    nodes: [...nodes, script, { id: choose, type: 'if', name: `${name}: without error?`, parameters: { condition } }],
    edges: [...edges, from, { source: id, target: choose }],
    outputs: [
      { nodeId: choose, handle: 'true', source: { shape, text } },
      { nodeId: choose, handle: 'false', source: { shape, text: `$nodes.${id}.output.failed[0]` } },
    ],
  };
}
