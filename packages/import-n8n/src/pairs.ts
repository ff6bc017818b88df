import type { Output } from './nodes/converter.ts';
import type { Pairs, Source } from './source.ts';
import { withoutPackage } from './nodes/models/chat-model.ts';
import type { N8nNode, N8nWorkflow } from './workflow.ts';

/** Types that return an item for each item they get, in their order. */
const ONE_EACH = new Set([
  ...['set', 'noOp', 'wait', 'httpRequest', 'renameKeys', 'respondToWebhook', 'crypto', 'dateTime'],
  ...['agent', 'chainLlm', 'informationExtractor', 'openAi'],
]);
/** Types whose scripts mostly do so. */
const SCRIPTS = new Set(['code', 'function', 'functionItem']);

/** Note of an item that is found behind a script. */
const SCRIPT =
  'items that belong to each other are found by their position: a script before is taken to return an item for each one';
/** Note of an item that is found behind a stub. */
const FIRST = 'of a list before a stub, the first item is taken for the one that the item of the stub belongs to';

/** Returns whether a workflow has expressions of items of other nodes that belong to the current one. */
export function usesPairs({ nodes }: N8nWorkflow): boolean {
  return nodes.some(({ parameters }) => /\)\s*\.item|\$node\b/.test(JSON.stringify(parameters)));
}

/** No node has items at the same positions. */
export const UNPAIRED: Pairs = { nodes: new Set() };

/**
 * Returns the output of a node with the nodes whose items are at the same positions.
 * @param input what the node gets; undefined for a trigger.
 */
export function withPairs(output: Output, node: N8nNode, input: Source | undefined): Output {
  const type = withoutPackage(node.type);
  const { source, handle } = output;
  const nodes = input?.pairs?.nodes ?? new Set<string>();
  const paired = (pairs: Pairs): Output => ({ ...output, source: { ...source, pairs } });
  if (type === 'splitInBatches') {
    const isEach = handle === 'body' && source.shape === 'one';
    return paired(isEach ? { ...input?.pairs, nodes, loop: node.name } : UNPAIRED);
  }
  if (source.guess === node.name && input?.shape === 'list' && input.pairs) {
    return paired({ nodes: new Set(), origin: { positions: '[0]', pairs: input.pairs }, assumed: FIRST });
  }
  // One item of a loop stays that item.
  if (source.shape === 'one') return paired(input?.shape === 'one' && input.pairs ? input.pairs : UNPAIRED);
  const { positions } = source;
  const origin = positions !== undefined && input?.pairs ? { origin: { positions, pairs: input.pairs } } : {};
  const own = { nodes: new Set([node.name]), ...origin };
  if (!input || input.shape === 'one') return paired(own);
  const isScript = SCRIPTS.has(type);
  const isFirst = type === 'limit' && node.parameters.keep !== 'lastItems';
  const isOneEach = isScript || isFirst || ONE_EACH.has(type);
  if (!isOneEach || node.original.onError === 'continueErrorOutput') return paired(own);
  return paired({ ...input.pairs, nodes: new Set([...nodes, node.name]), ...(isScript && { assumed: SCRIPT }) });
}
