import type { EdgeDefinition } from '@deckhand/contracts';

/**
 * Finds the nodes that stand on or behind a cycle, by taking away nodes without incoming edges until none is left to
 * take (Kahn). @returns their ids, empty for a graph without cycles.
 */
export function findCycle(nodeIds: readonly string[], edges: readonly EdgeDefinition[]): string[] {
  const incoming = new Map(nodeIds.map((id) => [id, 0]));
  const targets = new Map<string, string[]>();
  const sources = new Map<string, string[]>();
  for (const { source, target } of edges) {
    incoming.set(target, (incoming.get(target) ?? 0) + 1);
    append(targets, source, target);
    append(sources, target, source);
  }
  const left = new Set(nodeIds);
  takeAway(left, incoming, targets);

  // From the other end too, so that what only follows a cycle is not named as part of it.
  const outgoing = new Map(
    [...left].map((id) => [id, (targets.get(id) ?? []).filter((target) => left.has(target)).length]),
  );
  takeAway(left, outgoing, sources);
  return [...left];
}

function takeAway(left: Set<string>, degrees: Map<string, number>, next: ReadonlyMap<string, string[]>): void {
  const free = [...left].filter((id) => (degrees.get(id) ?? 0) === 0);
  for (let id = free.pop(); id !== undefined; id = free.pop()) {
    left.delete(id);
    for (const neighbour of next.get(id) ?? []) {
      if (!left.has(neighbour)) continue;
      const degree = (degrees.get(neighbour) ?? 0) - 1;
      degrees.set(neighbour, degree);
      if (degree === 0) free.push(neighbour);
    }
  }
}

function append(lists: Map<string, string[]>, key: string, value: string): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}
