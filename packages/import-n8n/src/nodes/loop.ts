import type { NodeDefinition } from '@deckhand/contracts';
import { braced } from '../expressions/template.ts';
import { asList } from '../source.ts';
import { unsupported } from '../unsupported.ts';
import { object } from '../workflow.ts';
import type { Conversion, Converted, Output } from './converter.ts';

/**
 * Converts `Loop Over Items`: a loop over the items, or over batches of them.
 * @param bodyOutput the output that leads into the body; the other one comes after the loop.
 */
export function loopNode({ id, node, parameters, input }: Conversion, bodyOutput: number): Converted {
  const { batchSize = node.version >= 3 ? 1 : 10, options } = parameters;
  if (typeof batchSize !== 'number' || batchSize < 1) return unsupported('a size of batches that is an expression');
  if (object(options).reset !== undefined && object(options).reset !== false)
    return unsupported('a loop that is reset');
  if (node.original.alwaysOutputData === true) {
    return unsupported('it always outputs data, so the nodes after it would run in each iteration');
  }
  const batches = `${id}__batches`;
  const split: NodeDefinition = {
    id: batches,
    type: 'split',
    name: `${node.name}: batches`,
    parameters: { items: braced(asList(input)), size: batchSize },
  };
  const items = batchSize === 1 ? braced(asList(input)) : braced(`$nodes.${batches}.output`);
  const loop: NodeDefinition = { id, type: 'loop', name: node.name, parameters: { items } };
  const body: Output = {
    nodeId: id,
    handle: 'body',
    source: { text: '$loop.item', shape: batchSize === 1 ? 'one' : 'list' },
  };
  const done: Output = { nodeId: id, handle: 'done', source: { text: `$nodes.${id}.output`, shape: 'list' } };
  return {
    nodes: batchSize === 1 ? [loop] : [split, loop],
    edges: batchSize === 1 ? [] : [{ source: batches, target: id }],
    outputs: bodyOutput === 0 ? [body, done] : [done, body],
  };
}

/** Returns the output after a loop, whose data is what its body returned. */
export function afterLoop(done: Output, end: Output | undefined): Output {
  if (!end) return { ...done, problem: 'what a loop returns whose body has several ends, or none that leads back' };
  const own = `$nodes.${end.nodeId}.output`;
  const { text, shape } = end.source;
  if (!text.startsWith(own)) {
    return { ...done, problem: 'what a loop returns whose last node passes on the data of another' };
  }
  const path = text.slice(own.length);
  const method = shape === 'one' ? 'map' : 'flatMap';
  const source = { text: `${done.source.text}.${method}((result) => result${path})`, shape: 'list' } as const;
  return { ...done, source };
}
