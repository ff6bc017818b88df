import type { Definition, EdgeDefinition, NodeDefinition, NodeTypeEntry } from '@deckhand/contracts';
import { edgeId } from '../../../graph/flow.ts';
import { freeHandle, type NodeTypes } from '../../../graph/handles.ts';
import type { Position } from '../../../graph/layout.ts';
import { addNode, newNode, placeBeside, removeNodes, STEP_PX } from './edits.ts';
import { isFirst } from './first-definition.ts';

/** Where a new node is added. */
export type Spot =
  /** After the selected node, or at the end of a chain. */
  | { readonly kind: 'next' }
  /** After an output of a node; with a position, where the connection was dropped. */
  | {
      readonly kind: 'output';
      readonly source: string;
      readonly sourceHandle: string | undefined;
      readonly position?: Position;
    }
  /** Between the ends of an edge. */
  | { readonly kind: 'edge'; readonly id: string };

/**
 * Adds a node of a type, with its edges.
 * @param last the node that it follows with the spot `next`, unless it is a trigger.
 */
export function insertNode(
  definition: Definition,
  type: NodeTypeEntry,
  spot: Spot,
  { types, last }: { readonly types: NodeTypes; readonly last: NodeDefinition | undefined },
): { readonly definition: Definition; readonly node: NodeDefinition } {
  if (spot.kind === 'edge') {
    const edge = definition.edges.find(
      ({ source, sourceHandle, target }) => edgeId(source, sourceHandle, target) === spot.id,
    );
    if (edge) return insertBetween(definition, type, edge, types);
  }
  if (spot.kind === 'output') {
    const source = definition.nodes.find(({ id }) => id === spot.source);
    const node = newNode(definition, type, spot.position ?? placeBeside(definition, source));
    return { definition: addNode(definition, node, edgeOf(spot.source, spot.sourceHandle, node.id)), node };
  }
  // A first trigger of one's own replaces the one that every workflow begins with.
  const [first] = type.isTrigger && isFirst(definition) ? definition.nodes : [];
  const base = first ? removeNodes(definition, new Set([first.id])) : definition;
  const after = type.isTrigger ? undefined : last;
  const node = newNode(base, type, first?.position ?? placeBeside(base, last));
  const edge = after && edgeOf(after.id, freeHandle(after, definition, types), node.id);
  return { definition: addNode(base, node, edge), node };
}

/** Adds a node between the ends of an edge. If there is no room, the nodes from the target on move aside. */
function insertBetween(definition: Definition, type: NodeTypeEntry, edge: EdgeDefinition, types: NodeTypes) {
  const place = (nodeId: string): Position | undefined => definition.nodes.find(({ id }) => id === nodeId)?.position;
  const source = place(edge.source) ?? { x: 0, y: 0 };
  const target = place(edge.target) ?? { x: source.x + STEP_PX, y: source.y };
  const missing = Math.max(0, source.x + 2 * STEP_PX - target.x);
  // Nodes before the source stay, also where an edge leads backwards.
  const moves = target.x > source.x ? missing : 0;
  const nodes = definition.nodes.map((node) =>
    moves > 0 && node.position && node.position.x >= target.x
      ? { ...node, position: { x: node.position.x + moves, y: node.position.y } }
      : node,
  );
  const base = { ...definition, nodes, edges: definition.edges.filter((other) => other !== edge) };
  const node = newNode(base, type, { x: source.x + STEP_PX, y: target.y });
  const { target: end, targetHandle } = edge;
  const onward = edgeOf(node.id, freeHandle(node, base, types), end);
  const added = addNode(base, node, edgeOf(edge.source, edge.sourceHandle, node.id));
  return {
    definition: {
      ...added,
      edges: [...added.edges, { ...onward, ...(targetHandle === undefined ? {} : { targetHandle }) }],
    },
    node,
  };
}

function edgeOf(source: string, sourceHandle: string | undefined, target: string): EdgeDefinition {
  return { source, target, ...(sourceHandle === undefined ? {} : { sourceHandle }) };
}
