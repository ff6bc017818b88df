import type { EdgeDefinition, NodeDefinition } from '@deckhand/contracts';
import type { Scope } from '../expressions/scope.ts';
import { braced } from '../expressions/template.ts';
import { asList } from '../source.ts';
import { unsupported } from '../unsupported.ts';
import { type Conversion, type Converted, maybeEmpty, outputOf } from './converter.ts';

/** What becomes of an item, as a node of the type that does it here. */
interface EachNode {
  /** Returns the node, for expressions that see the item so. */
  readonly node: (id: string, scope: Scope) => NodeDefinition;
  /** JavaScript that declares `result`, the list of new items, from `items` and the `outputs` of the node for each. */
  readonly lines: readonly string[];
  /** Whether one item becomes one, or a list. */
  readonly shape: 'one' | 'list';
  readonly mayBeEmpty?: boolean;
  /** What the node leads to by its output `body`; what comes after it is at `done`. */
  readonly body?: Body;
}

/** Nodes in the body of another one. */
export interface Body {
  /** The ids of those that it leads to. */
  readonly entries: readonly string[];
  readonly nodes: readonly NodeDefinition[];
  readonly edges: readonly EdgeDefinition[];
}

/** Returns a node that runs once for each item, in a loop for a list, and a script that makes items of its output. */
export function eachInLoop({ id, node: { name }, input, scope }: Conversion, each: EachNode): Converted {
  const isList = input.shape === 'list';
  const scriptId = `${id}__items`;
  const bodyId = `${id}__each`;
  const returnsOne = !isList && each.shape === 'one';
  const source = [
    `const items = ${asList(input)};`,
    `const outputs = ${isList ? `$nodes.${id}.output` : `[$nodes.${id}.output]`};`,
    ...each.lines,
    `return result${returnsOne ? '[0]' : ''};`,
  ].join('\n');
  const script = { id: scriptId, type: 'code', name: `${name}: items`, parameters: { source } };
  const loop = { id, type: 'loop', name: `${name}: each`, parameters: { items: braced(input.text) } };
  const { entries = [], nodes = [], edges = [] } = each.body ?? {};
  const within = isList ? bodyId : id;
  const converted: Converted = {
    nodes: [...(isList ? [loop, each.node(bodyId, scopeInLoop(scope))] : [each.node(id, scope)]), ...nodes, script],
    edges: [
      ...(isList ? [{ source: id, sourceHandle: 'body', target: bodyId }] : []),
      ...entries.map((target) => ({ source: within, sourceHandle: 'body', target })),
      ...edges,
      { source: id, ...((isList || each.body) && { sourceHandle: 'done' }), target: scriptId },
    ],
    outputs: [{ nodeId: scriptId, source: outputOf(scriptId, returnsOne ? 'one' : 'list') }],
  };
  return each.mayBeEmpty === true ? maybeEmpty(converted) : converted;
}

/** Returns what expressions see in a loop over the items. */
export function scopeInLoop(scope: Scope): Scope {
  return {
    ...scope,
    item: '$loop.item',
    index: '$loop.index',
    nodeNamed(name) {
      const source = scope.nodeNamed(name);
      return source.text.includes('$loop') ? unsupported('the item of an outer loop, inside an inner one') : source;
    },
  };
}
