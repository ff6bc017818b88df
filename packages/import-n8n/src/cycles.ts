import { type N8nConnection, type N8nNode, shortType } from './workflow.ts';

/** Nodes that lead back to the first of them, such as a request that is sent again until its result is there. */
export interface Cycle {
  /** With the first one. */
  readonly members: ReadonlySet<string>;
  /** The connections from members to the first one. */
  readonly again: readonly N8nConnection[];
}

/** Node types that are in no cycle of this kind: they have several inputs, or a cycle of their own. */
const OTHERS = new Set(['merge', 'splitInBatches']);

/**
 * Finds the cycles that are entered at one node, and that have no cycle within them, by the name of that node.
 * @param refused nodes at which no cycle begins.
 */
export function findCycles(
  nodes: readonly N8nNode[],
  connections: readonly N8nConnection[],
  refused: ReadonlySet<string>,
): Map<string, Cycle> {
  const outOf = Map.groupBy(connections, ({ source }) => source);
  const into = Map.groupBy(connections, ({ target }) => target);
  const cycles = new Map<string, Cycle>();
  for (const component of findComponents(nodes, outOf, into)) {
    const isInside = (name: string): boolean => component.has(name);
    const [first, ...others] = nodes.filter(
      ({ name }) => isInside(name) && into.get(name)?.some(({ source }) => !isInside(source)),
    );
    if (!first || others.length > 0 || refused.has(first.name)) continue;
    if (nodes.some(({ name, type }) => isInside(name) && OTHERS.has(shortType(type)))) continue;
    const inner = connections.filter(({ source, target }) => isInside(source) && isInside(target));
    const again = inner.filter(({ target }) => target === first.name);
    const rest = inner.filter(({ target }) => target !== first.name);
    // An output with a way on within and another one would do both at the same time.
    const outputs = Map.groupBy(
      [...component].flatMap((name) => outOf.get(name) ?? []),
      ({ source, output }) => `${output} ${source}`,
    );
    const isSingle = [...outputs.values()].every(
      (ways) => ways.length === 1 || ways.every(({ target }) => !isInside(target)),
    );
    if (isSingle && isAcyclic(component, rest)) cycles.set(first.name, { members: component, again });
  }
  return cycles;
}

/** Finds the sets of nodes that each lead to all others of the set (Kosaraju), without those that are alone. */
function findComponents(
  nodes: readonly N8nNode[],
  outOf: ReadonlyMap<string, readonly N8nConnection[]>,
  into: ReadonlyMap<string, readonly N8nConnection[]>,
): ReadonlySet<string>[] {
  const finished: string[] = [];
  const seen = new Set<string>();
  for (const { name } of nodes)
    visit(name, seen, (each) => (outOf.get(each) ?? []).map(({ target }) => target), finished);
  const assigned = new Set<string>();
  return finished.toReversed().flatMap((name) => {
    const members: string[] = [];
    visit(name, assigned, (each) => (into.get(each) ?? []).map(({ source }) => source), members);
    const isCycle = members.length > 1 || outOf.get(name)?.some(({ target }) => target === name) === true;
    return isCycle && members.length > 0 ? [new Set(members)] : [];
  });
}

/** Adds the nodes that can be reached and are not seen yet to a list, each after those that it leads to. */
function visit(start: string, seen: Set<string>, next: (name: string) => readonly string[], finished: string[]): void {
  if (seen.has(start)) return;
  seen.add(start);
  const open = [{ name: start, left: [...next(start)] }];
  for (let top = open.at(-1); top; top = open.at(-1)) {
    const following = top.left.pop();
    if (following === undefined) {
      finished.push(top.name);
      open.pop();
    } else if (!seen.has(following)) {
      seen.add(following);
      open.push({ name: following, left: [...next(following)] });
    }
  }
}

/** Returns whether connections between nodes have no cycle (Kahn). */
function isAcyclic(names: ReadonlySet<string>, connections: readonly N8nConnection[]): boolean {
  const counts = new Map([...names].map((name) => [name, 0]));
  for (const { target } of connections) counts.set(target, (counts.get(target) ?? 0) + 1);
  const outOf = Map.groupBy(connections, ({ source }) => source);
  const ready = [...names].filter((name) => counts.get(name) === 0);
  let sorted = 0;
  for (let name = ready.pop(); name !== undefined; name = ready.pop()) {
    sorted += 1;
    for (const { target } of outOf.get(name) ?? []) {
      const left = (counts.get(target) ?? 0) - 1;
      counts.set(target, left);
      if (left === 0) ready.push(target);
    }
  }
  return sorted === names.size;
}
