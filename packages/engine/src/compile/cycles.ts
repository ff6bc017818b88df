import type { EdgeDefinition } from '@deckhand/contracts';

/**
 * Sorts nodes topologically (Kahn): each comes after all nodes with an edge to it.
 * @returns the order, and the nodes that are on or behind a cycle, in no order.
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

/** Finds the nodes that are on a cycle, or between two. @returns their ids, empty for a graph without cycles. */
export function findCycle(nodeIds: readonly string[], edges: readonly EdgeDefinition[]): string[] {
  const left = new Set(orderNodes(nodeIds, edges).left);
  // From the other end too, so that nodes behind a cycle are not reported as part of it.
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

/** Removes nodes of degree 0 and their edges repeatedly, and returns them in that order. */
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
