import type { EdgeDefinition, NodeDefinition } from '@deckhand/contracts';
import { braced } from './expressions/template.ts';
import { areExclusive, isWithin, type Route } from './routes.ts';
import type { Output } from './nodes/converter.ts';
import { asList, NOTHING, optional, type Source } from './source.ts';
import { unsupported } from './unsupported.ts';

/** A way into a node, from an output of another one. */
export interface Way {
  /** The name of the node that it comes from. */
  readonly from: string;
  readonly output: Output;
  readonly route: Route;
}

/** How a node gets its data. */
export interface Join {
  /** The data of each input. */
  readonly inputs: readonly Source[];
  /** Nodes between those that lead to it and itself. */
  readonly nodes: readonly NodeDefinition[];
  /** The edges that lead to these nodes, and to the node itself, whose first node is not known yet. */
  readonly edgesTo: (entry: string) => readonly EdgeDefinition[];
  /** Whether it runs once for each of several branches, in a loop. */
  readonly isRepeated: boolean;
}

/** Returns the edge from an output. */
export function edgeFrom({ nodeId, handle }: Pick<Output, 'nodeId' | 'handle'>, target: string): EdgeDefinition {
  return { source: nodeId, target, ...(handle !== undefined && { sourceHandle: handle }) };
}

/**
 * Joins the ways into a node. Data is only there if its branch was taken: where that of a node before the branch is
 * passed on, a node keeps it.
 * @param inputs the ways to each input; several inputs are those of a Merge.
 * @param route what all ways have in common.
 * @throws UnsupportedError
 */
export function joinWays(
  { id, name }: { readonly id: string; readonly name: string },
  inputs: readonly (readonly Way[])[],
  { route, isMerge }: { readonly route: Route; readonly isMerge: boolean },
): Join {
  const nodes: NodeDefinition[] = [];
  const edges: ((entry: string) => EdgeDefinition)[] = [];
  const direct = ({ output }: Way): void => void edges.push((entry) => edgeFrom(output, entry));
  let count = 0;
  /** Returns data that is undefined if the way was not taken. */
  const keep = (way: Way, text: string): string => {
    const { from, output } = way;
    const isOwn = output.handle === undefined && text.startsWith(`$nodes.${output.nodeId}.output`);
    if (isOwn) {
      direct(way);
      return optional(text);
    }
    count += 1;
    const kept = `${id}__from_${count}`;
    nodes.push({ id: kept, type: 'set', name: `${from}: for ${name}`, parameters: { fields: { data: braced(text) } } });
    edges.push(
      () => edgeFrom(output, kept),
      (entry) => ({ source: kept, target: entry }),
    );
    return `$nodes.${kept}?.output?.data`;
  };
  const sources = inputs.map((ways): Source => {
    const sourceOf = ({ output }: Way): Source => output.source;
    const [first] = ways;
    // As in n8n, an input that nothing leads to has no items.
    if (!first) return NOTHING;
    const guess = ways.map(sourceOf).find((each) => each.guess !== undefined)?.guess;
    const isSame = ways.every((way) => sourceOf(way).text === sourceOf(first).text);
    const isAlways = ways.length === 1 && (!isMerge || isWithin(route, first.route));
    const isExclusive = areExclusive(ways);
    if (isAlways || (isSame && isExclusive && !isMerge)) {
      ways.forEach(direct);
      return sourceOf(first);
    }
    const isOneShape = ways.every((way) => sourceOf(way).shape === sourceOf(first).shape);
    const shape = isOneShape ? sourceOf(first).shape : 'list';
    const guessed = guess !== undefined && { guess };
    const texts = () => ways.map((way) => keep(way, isOneShape ? sourceOf(way).text : asList(sourceOf(way))));
    if (isExclusive) return { text: `(${texts().join(' ?? ')})`, shape, ...guessed };
    if (isMerge) return unsupported('n8n runs it once for each of several branches, here it would run once');
    const branches = `${id}__branches`;
    const items = braced(`[${texts().join(', ')}].filter((data) => data !== undefined)`);
    nodes.unshift({ id: branches, type: 'loop', name: `${name}: each branch`, parameters: { items } });
    return { text: '$loop.item', shape, ...guessed };
  });
  const loop = nodes.find(({ type }) => type === 'loop')?.id;
  return {
    inputs: sources,
    nodes,
    edgesTo: (entry) => [
      ...edges.map((to) => to(loop ?? entry)),
      ...(loop === undefined ? [] : [{ source: loop, sourceHandle: 'body', target: entry }]),
    ],
    isRepeated: loop !== undefined,
  };
}
