import { CARD_WIDTH, cardHeight, type Definition } from '@deckhand/contracts';
import { edgeKey } from './diff-definitions.ts';
import { handlesOf, type NodeTypes } from './handles.ts';
import { layOut, placeNodes, type Position } from './layout.ts';

/** Merges two definitions into one graph: nodes that both contain are taken from the later one. */
export function uniteDefinitions(before: Definition, after: Definition): Definition {
  const nodes = new Map([...after.nodes, ...before.nodes.filter(isMissingIn(after))].map((node) => [node.id, node]));
  const edges = new Map([...before.edges, ...after.edges].map((edge) => [edgeKey(edge), edge]));
  return { nodes: [...nodes.values()], edges: [...edges.values()] };
}

/**
 * Returns the positions of the nodes of both definitions: the saved ones, or columns if a node has none, or if a
 * removed one would cover another.
 */
export function placeUnited(before: Definition, after: Definition, types: NodeTypes): ReadonlyMap<string, Position> {
  const united = uniteDefinitions(before, after);
  const places = placeNodes(united, types);
  const heights = new Map(united.nodes.map((node) => [node.id, cardHeight(handlesOf(node, types).length)]));
  const isOnAnother = (id: string, place: Position): boolean =>
    [...places].some(
      ([otherId, other]) =>
        otherId !== id &&
        Math.abs(other.x - place.x) < CARD_WIDTH &&
        other.y < place.y + (heights.get(id) ?? 0) &&
        place.y < other.y + (heights.get(otherId) ?? 0),
    );
  const isHidden = before.nodes.filter(isMissingIn(after)).some(({ id }) => {
    const place = places.get(id);
    return place !== undefined && isOnAnother(id, place);
  });
  return isHidden ? layOut(united, types) : places;
}

/** Returns the outputs of each node in either definition: a removed edge may start at a removed output. */
export function uniteHandles(
  before: Definition,
  after: Definition,
  types: NodeTypes,
): ReadonlyMap<string, readonly string[]> {
  const handles = new Map<string, readonly string[]>();
  for (const node of [...after.nodes, ...before.nodes]) {
    handles.set(node.id, [...new Set([...(handles.get(node.id) ?? []), ...handlesOf(node, types)])]);
  }
  return handles;
}

function isMissingIn({ nodes }: Definition): (node: { readonly id: string }) => boolean {
  const ids = new Set(nodes.map(({ id }) => id));
  return ({ id }) => !ids.has(id);
}
