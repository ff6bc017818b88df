import { orderNodes } from '../compile/cycles.ts';
import type { CompiledWorkflow, GraphNode } from '../compile/graph.ts';
import type { Finding, Rule } from './rule.ts';

/**
 * Finds outputs that are never there when a node reads them: those of the node itself, of nodes that it leads to, and
 * of nodes that no run with it reaches. A node of a parallel branch may have run, which some workflows depend on.
 */
export const references: Rule = ({ nodes, definition }) => {
  const isUsed = [...nodes.values()].some((node) => node.references.nodes.length > 0);
  const order = isUsed ? orderNodes([...nodes.keys()], definition.edges).order : [];
  const placeOf = new Map(order.map((id, place) => [id, place]));
  const triggersOf = findTriggers(order, nodes);
  const isBehind = createSearch();

  function reasonWhyMissing(read: GraphNode, reader: GraphNode): string | undefined {
    if (read === reader) return 'it is the output of the node itself';
    const mayBeBehind = (placeOf.get(read.id) ?? 0) > (placeOf.get(reader.id) ?? 0);
    if (mayBeBehind && isBehind(read, reader)) return `"${read.id}" runs after it`;
    const [ofRead, ofReader] = [triggersOf.get(read) ?? 0, triggersOf.get(reader) ?? 0];
    // Another rule warns of nodes without a trigger.
    const isApart = ofRead !== 0 && ofReader !== 0 && (ofRead & ofReader) === 0;
    return isApart ? `no trigger leads to both this node and "${read.id}"` : undefined;
  }

  return (node) =>
    node.references.nodes.flatMap((id): Finding[] => {
      const read = nodes.get(id);
      const reason = read && reasonWhyMissing(read, node);
      if (reason === undefined) return [];
      const message = `$nodes.${id}.output is not there when this node reads it: ${reason}.`;
      return [{ code: 'REFERENCE_NOT_BEFORE', path: 'parameters', message }];
    });
};

/** Finds the triggers that lead to each node, as bits. Triggers after the 32nd share bits, so that less is found. */
function findTriggers(order: readonly string[], nodes: CompiledWorkflow['nodes']): ReadonlyMap<GraphNode, number> {
  const bits = new Map<GraphNode, number>();
  let triggers = 0;
  for (const id of order) {
    const node = nodes.get(id);
    if (!node) continue;
    const own = node.type.isTrigger ? 1 << (triggers++ & 31) : 0;
    bits.set(
      node,
      node.incoming.reduce((all, { source }) => all | (bits.get(source) ?? 0), own),
    );
  }
  return bits;
}

/** Number of edges that searches may follow for one definition. Beyond it, nothing more is found. */
const MAX_STEPS = 200_000;

/** Returns a function that finds out whether a path leads from `start` to `node`. */
function createSearch(): (node: GraphNode, start: GraphNode) => boolean {
  let left = MAX_STEPS;
  return (node, start) => {
    const seen = new Set([start]);
    for (const from of seen) {
      for (const { target } of from.outgoing) {
        if (target === node) return true;
        seen.add(target);
        if (--left < 0) return false;
      }
    }
    return false;
  };
}
