import { graphlib, layout, type EdgeLabel, type GraphLabel, type NodeLabel } from '@dagrejs/dagre';
import type { Definition, NodeDefinition } from '@deckhand/contracts';
import { cardHeight, CARD_WIDTH } from './card-size.js';
import { handlesOf, type NodeTypes } from './handles.js';

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
  return new Map(
    [...heights].map(([id, height]) => {
      const { x = 0, y = 0 } = graph.node(id);
      return [id, { x: Math.round(x - CARD_WIDTH / 2), y: Math.round(y - height / 2) }];
    }),
  );
}

function heightOf(node: NodeDefinition, types: NodeTypes): number {
  return cardHeight(handlesOf(node, types).length);
}
