import type { EdgeDefinition, ValidationIssue } from '@deckhand/contracts';
import type { GraphNode } from './graph.ts';
import type { SoundNode } from './check-nodes.ts';

/**
 * Finds the nodes of a node's region from which every path leads to it: nothing else needs them once it has started.
 * Takes time proportional to the edges of these nodes.
 */
export function findExclusive(join: GraphNode): GraphNode[] {
  const exclusive: GraphNode[] = [];
  /** For each node before it, the number of edges that lead elsewhere, as far as is known. */
  const others = new Map<GraphNode, number>();
  const open = [join];
  for (let node = open.pop(); node; node = open.pop()) {
    for (const { source } of node.incoming) {
      if (source.region !== join.region) continue;
      const left = (others.get(source) ?? countEdges(source)) - 1;
      others.set(source, left);
      if (left > 0) continue;
      exclusive.push(source);
      open.push(source);
    }
  }
  return exclusive;
}

/** Returns the number of edges from a node within its region. */
function countEdges({ outgoing, region }: GraphNode): number {
  return outgoing.filter(({ target }) => target.region === region).length;
}

/** Returns the issues of early joins that need more edges than lead to their nodes. */
export function checkJoins(nodes: readonly SoundNode[], edges: readonly EdgeDefinition[]): ValidationIssue[] {
  const incoming = new Map<string, number>();
  for (const { target } of edges) incoming.set(target, (incoming.get(target) ?? 0) + 1);
  return nodes.flatMap(({ node, path, type }) => {
    const needed = type.join?.(node.parameters ?? {})?.count ?? 0;
    const given = incoming.get(node.id) ?? 0;
    if (given === 0 || needed <= given) return [];
    const message = `${needed} branches cannot come: ${given} ${given === 1 ? 'edge leads' : 'edges lead'} to "${node.id}"`;
    return [{ path: `${path}.parameters.count`, message }];
  });
}
