import type { EdgeDefinition } from '@deckhand/contracts';

/**
 * Puts nodes in an order in which each comes after all that lead to it, by taking away nodes without incoming edges
 * until none is left to take (Kahn).
 * @returns the order, and the nodes that stand on or behind a cycle, which are in no order.
 */
export function orderNodes(
  nodeIds: readonly string[],
  edges: readonly EdgeDefinition[],
): { readonly order: readonly string[]; readonly left: ReadonlySet<string> } {
  const incoming = new Map(nodeIds.map((id) => [id, 0]));
  const targets = new Map<string, string[]>();
  for (const { source, target } of edges) {
    incoming.set(target, (incoming.get(target) ?? 0) + 1);
    append(targets, source, target);
  }
  const left = new Set(nodeIds);
  return { order: takeAway(left, incoming, targets), left };
}

/** Finds the nodes that stand on a cycle, or between two. @returns their ids, empty for a graph without cycles. */
export function findCycle(nodeIds: readonly string[], edges: readonly EdgeDefinition[]): string[] {
  const left = new Set(orderNodes(nodeIds, edges).left);
  // From the other end too, so that what only follows a cycle is not named as part of it.
  const sources = new Map<string, string[]>();
  const outgoing = new Map([...left].map((id) => [id, 0]));
  for (const { source, target } of edges) {
    if (!left.has(target)) continue;
    append(sources, target, source);
    if (left.has(source)) outgoing.set(source, (outgoing.get(source) ?? 0) + 1);
  }
  takeAway(left, outgoing, sources);
  return [...left];
}

/** Takes away nodes of degree 0 and their edges, again and again; returns them in that order. */
function takeAway(
  left: Set<string>,
  degrees: Map<string, number>,
  next: ReadonlyMap<string, readonly string[]>,
): string[] {
  const free = [...left].filter((id) => (degrees.get(id) ?? 0) === 0);
  for (const id of free) {
    left.delete(id);
    for (const neighbour of next.get(id) ?? []) {
      if (!left.has(neighbour)) continue;
      const degree = (degrees.get(neighbour) ?? 0) - 1;
      degrees.set(neighbour, degree);
      if (degree === 0) free.push(neighbour);
    }
  }
  return free;
}

function append(lists: Map<string, string[]>, key: string, value: string): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}
