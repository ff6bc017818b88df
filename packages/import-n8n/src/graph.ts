import { type Cycle, findCycles } from './cycles.ts';
import { type N8nConnection, type N8nNode, type N8nWorkflow, NotAWorkflowError, shortType } from './workflow.ts';

/** Maximum number of `Loop Over Items` nodes; the body of each is found by a search. */
const MAX_LOOPS = 50;

/** The part of a workflow between a `Loop Over Items` node and its way back. */
export interface LoopBody {
  /** The output that leads into it. */
  readonly output: number;
  readonly members: ReadonlySet<string>;
}

/** How the data flows. */
export interface Graph {
  /** Nodes in an order in which each comes after those that lead to it. */
  readonly order: readonly N8nNode[];
  /** Connections of data into a node, and out of it, without those back into loops. */
  readonly into: (name: string) => readonly N8nConnection[];
  readonly outOf: (name: string) => readonly N8nConnection[];
  /** Connections back into loops. */
  readonly back: readonly N8nConnection[];
  /** Connections from outside into the body of a loop, which are left out of all others. */
  readonly stray: readonly N8nConnection[];
  readonly loops: ReadonlyMap<string, LoopBody>;
  /** Cycles that begin at one node, by its name; their ways back are left out of all others. */
  readonly cycles: ReadonlyMap<string, Cycle>;
  /** Nodes that are in a cycle of another kind. */
  readonly cyclic: ReadonlySet<string>;
}

/**
 * Finds the loops and the order of the nodes.
 * @param refused nodes at which no cycle begins that can be repeated.
 * @throws NotAWorkflowError if there are too many loops.
 */
export function analyze({ nodes, connections }: N8nWorkflow, refused: ReadonlySet<string> = new Set()): Graph {
  const main = connections.filter(({ kind }) => kind === 'main');
  const successors = Map.groupBy(main, ({ source }) => source);
  const loops = new Map<string, LoopBody>();
  const back = new Set<N8nConnection>();
  for (const { name, type, version } of nodes) {
    if (shortType(type) !== 'splitInBatches') continue;
    if (loops.size === MAX_LOOPS) throw new NotAWorkflowError(`has more than ${MAX_LOOPS} loops`);
    const output = version >= 3 ? 1 : 0;
    const members = reachable(successors, name, output);
    loops.set(name, { output, members });
    for (const each of main) if (each.target === name && members.has(each.source)) back.add(each);
  }
  const isStray = ({ source, target, output }: N8nConnection): boolean =>
    [...loops].some(
      ([loop, { members, output: body }]) =>
        members.has(target) && !members.has(source) && (source !== loop || output !== body),
    );
  const stray = main.filter(isStray);
  const left = new Set([...back, ...stray]);
  const all = main.filter((connection) => !left.has(connection));
  const cycles = findCycles(nodes, all, refused);
  const again = new Set([...cycles.values()].flatMap((cycle) => cycle.again));
  const forward = all.filter((connection) => !again.has(connection));
  const into = Map.groupBy(forward, ({ target }) => target);
  const outOf = Map.groupBy(forward, ({ source }) => source);
  const { order, cyclic } = sort(nodes, forward, loops, cycles);
  return {
    order,
    into: (name) => into.get(name) ?? [],
    outOf: (name) => outOf.get(name) ?? [],
    back: [...back],
    stray,
    loops,
    cycles,
    cyclic,
  };
}

/** Orders the nodes so that each comes after those that it needs, and finds those that need each other. */
function sort(
  nodes: readonly N8nNode[],
  forward: readonly N8nConnection[],
  loops: ReadonlyMap<string, LoopBody>,
  cycles: ReadonlyMap<string, Cycle>,
): { order: N8nNode[]; cyclic: ReadonlySet<string> } {
  const cycleOf = new Map([...cycles.values()].flatMap(({ members }) => [...members].map((each) => [each, members])));
  const needs = new Map(nodes.map(({ name }) => [name, new Set<string>()]));
  const neededBy = new Map(nodes.map(({ name }): [string, string[]] => [name, []]));
  for (const { source, target, output } of forward) {
    const body = loops.get(source);
    // What a loop or a cycle returns is known once its body is converted.
    const members = body && body.output !== output ? body.members : [];
    const cycle = cycleOf.get(source);
    for (const each of [source, ...members, ...(cycle?.has(target) === false ? cycle : [])]) {
      const needed = needs.get(target);
      if (!needed || needed.has(each)) continue;
      needed.add(each);
      neededBy.get(each)?.push(target);
    }
  }
  const order: N8nNode[] = [];
  const nodeOf = new Map(nodes.map((node) => [node.name, node]));
  let cyclic: ReadonlySet<string> = new Set();
  let ready = nodes.filter(({ name }) => needs.get(name)?.size === 0);
  const sorted = new Set<string>();
  while (order.length < nodes.length) {
    if (ready.length === 0) {
      const left = nodes.filter(({ name }) => !sorted.has(name));
      cyclic = findCyclic(left, needs, neededBy);
      ready = left.filter(({ name }) => cyclic.has(name));
    }
    order.push(...ready);
    for (const { name } of ready) sorted.add(name);
    const next: N8nNode[] = [];
    for (const { name } of ready) {
      for (const target of neededBy.get(name) ?? []) {
        const needed = needs.get(target);
        needed?.delete(name);
        const node = nodeOf.get(target);
        if (node && needed?.size === 0 && !sorted.has(target)) next.push(node);
      }
    }
    ready = next;
  }
  return { order, cyclic };
}

/** Returns those of the nodes that are in a cycle, or on a way from one to another; there must be one. */
function findCyclic(
  left: readonly N8nNode[],
  needs: ReadonlyMap<string, ReadonlySet<string>>,
  neededBy: ReadonlyMap<string, readonly string[]>,
): ReadonlySet<string> {
  const found = new Set(left.map(({ name }) => name));
  const counts = new Map(
    left.map(({ name }) => [name, (neededBy.get(name) ?? []).filter((each) => found.has(each)).length]),
  );
  // From the ends backwards, until only nodes are left that another one of them needs.
  const ends = left.map(({ name }) => name).filter((name) => counts.get(name) === 0);
  for (let name = ends.pop(); name !== undefined; name = ends.pop()) {
    found.delete(name);
    for (const each of needs.get(name) ?? []) {
      const count = (counts.get(each) ?? 0) - 1;
      counts.set(each, count);
      if (count === 0) ends.push(each);
    }
  }
  return found;
}

/** Returns the nodes that an output leads to, not beyond the node itself. */
function reachable(
  successors: ReadonlyMap<string, readonly N8nConnection[]>,
  from: string,
  output: number,
): Set<string> {
  const found = new Set<string>();
  const open = (successors.get(from) ?? []).filter((each) => each.output === output).map(({ target }) => target);
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (name === from || found.has(name)) continue;
    found.add(name);
    for (const { target } of successors.get(name) ?? []) open.push(target);
  }
  return found;
}
