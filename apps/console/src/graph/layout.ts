import { graphlib, layout, type EdgeLabel, type GraphLabel, type NodeLabel } from '@dagrejs/dagre';
import { CARD_WIDTH, cardHeight, type Definition, type NodeDefinition } from '@deckhand/contracts';
import { handleTop } from './card-size.ts';
import { handlesOf, type NodeTypes } from './handles.ts';

/** The position of a node's top left corner, in px of the canvas. */
export interface Position {
  readonly x: number;
  readonly y: number;
}

/** Space between columns and between rows, in px. */
const GAP = { ranksep: 64, nodesep: 32 } as const;

/**
 * Returns the positions of all nodes: those of the definition, or, if one is missing, columns from left to right along
 * the edges.
 */
export function placeNodes(definition: Definition, types: NodeTypes): ReadonlyMap<string, Position> {
  const placed = definition.nodes.flatMap(({ id, position }): [string, Position][] =>
    position ? [[id, position]] : [],
  );
  return placed.length === definition.nodes.length ? new Map(placed) : layOut(definition, types);
}

/** Arranges the nodes in columns from left to right, and ignores the positions in the definition. */
export function layOut({ nodes, edges }: Definition, types: NodeTypes): ReadonlyMap<string, Position> {
  const graph = new graphlib.Graph<GraphLabel, NodeLabel, EdgeLabel>({ multigraph: true });
  graph.setGraph({ rankdir: 'LR', ...GAP });
  graph.setDefaultEdgeLabel(() => ({}));
  const heights = new Map(nodes.map((node) => [node.id, heightOf(node, types)]));
  for (const [id, height] of heights) graph.setNode(id, { width: CARD_WIDTH, height });
  for (const [index, { source, target }] of edges.entries()) {
    if (heights.has(source) && heights.has(target)) graph.setEdge(source, target, {}, String(index));
  }
  layout(graph);
  const places = new Map(
    [...heights].map(([id, height]): [string, Position] => {
      const { x = 0, y = 0 } = graph.node(id);
      return [id, { x: Math.round(x - CARD_WIDTH / 2), y: Math.round(y - height / 2) }];
    }),
  );
  return orderByHandles({ nodes, edges }, types, places);
}

/**
 * Orders the nodes of each column by the outputs that lead to them, so that the edges of a node do not cross: the
 * layout itself knows no outputs. Columns are ordered from left to right.
 */
function orderByHandles(
  { nodes, edges }: Definition,
  types: NodeTypes,
  places: ReadonlyMap<string, Position>,
): ReadonlyMap<string, Position> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const ordered = new Map(places);
  // Edges from the same output are in the order in which they were drawn.
  const firstEdgeTo = new Map(edges.map(({ target }, index) => [target, index] as const).toReversed());
  const edgesTo = Map.groupBy(edges, ({ target }) => target);
  const columns = Map.groupBy(nodes, ({ id }) => places.get(id)?.x ?? 0);
  for (const [, column] of [...columns].sort(([left], [right]) => left - right)) {
    const rankOf = ({ id }: NodeDefinition): number => {
      const own = ordered.get(id) ?? { x: 0, y: 0 };
      const tops = (edgesTo.get(id) ?? []).flatMap(({ source, sourceHandle }) => {
        const [node, from] = [byId.get(source), ordered.get(source)];
        if (!node || !from || from.x >= own.x) return [];
        const handles = handlesOf(node, types);
        const index = sourceHandle === undefined ? 0 : Math.max(0, handles.indexOf(sourceHandle));
        return [from.y + handleTop(index, handles.length)];
      });
      return tops.length === 0 ? own.y : tops.reduce((sum, top) => sum + top, 0) / tops.length;
    };
    const ranked = column.map((node) => ({
      node,
      rank: rankOf(node),
      order: firstEdgeTo.get(node.id) ?? 0,
      y: ordered.get(node.id)?.y ?? 0,
    }));
    const slots = ranked.map(({ y }) => y).sort((a, b) => a - b);
    let lowest = Number.NEGATIVE_INFINITY;
    for (const [index, { node }] of ranked
      .sort((a, b) => a.rank - b.rank || a.order - b.order || a.y - b.y)
      .entries()) {
      const { x } = ordered.get(node.id) ?? { x: 0 };
      const y = Math.max(slots[index] ?? 0, lowest);
      ordered.set(node.id, { x, y });
      lowest = y + heightOf(node, types) + GAP.nodesep;
    }
  }
  return ordered;
}

function heightOf(node: NodeDefinition, types: NodeTypes): number {
  return cardHeight(handlesOf(node, types).length);
}
