import type { Definition, EdgeDefinition } from '@deckhand/sdk/operations';

/** A node of a run, and where it is drawn. */
export interface TreeRow {
  readonly nodeId: string;
  /** The lines that lead to it from the branches above. */
  readonly prefix: string;
  /** The output of the node before that leads to it, of a node that has several. */
  readonly handle: string | undefined;
}

interface Drawing {
  readonly outgoing: ReadonlyMap<string, readonly EdgeDefinition[]>;
  /** Number of edges into each node. */
  readonly incoming: ReadonlyMap<string, number>;
  readonly rows: TreeRow[];
  readonly drawn: Set<string>;
}

/**
 * Lays the nodes that can be reached from a trigger out as a tree. Nodes in a row are below each other; where a node
 * leads to several, each is a branch. A node with several edges into it follows the branches that join there. Each node
 * has one row.
 */
export function layOut({ nodes, edges }: Definition, triggerNodeId: string): readonly TreeRow[] {
  const known = new Set(nodes.map(({ id }) => id));
  const outgoing = new Map<string, readonly EdgeDefinition[]>();
  for (const edge of edges) {
    if (known.has(edge.source) && known.has(edge.target)) {
      outgoing.set(edge.source, [...(outgoing.get(edge.source) ?? []), edge]);
    }
  }
  const incoming = new Map<string, number>();
  const reached = [triggerNodeId];
  const seen = new Set(reached);
  // Iterating over a list includes elements that are added meanwhile.
  for (const id of reached) {
    for (const { target } of outgoing.get(id) ?? []) {
      incoming.set(target, (incoming.get(target) ?? 0) + 1);
      if (!seen.has(target)) reached.push(target);
      seen.add(target);
    }
  }
  const rows: TreeRow[] = [];
  const drawn = new Set<string>();
  drawFrom(triggerNodeId, undefined, { first: '', rest: '' }, { outgoing, incoming, rows, drawn });
  // In a cycle, which no saved version has.
  const others = reached.filter((id) => !drawn.has(id));
  return [...rows, ...others.map((nodeId) => ({ nodeId, prefix: '', handle: undefined }))];
}

/**
 * Draws a node, what follows it, and the joins whose edges all come from there.
 * @param prefix `first` is for its own row, `rest` for those that follow.
 * @returns the other joins, with the number of edges that lead to them from there.
 */
function drawFrom(
  start: string,
  handleOfStart: string | undefined,
  prefix: { readonly first: string; readonly rest: string },
  drawing: Drawing,
): ReadonlyMap<string, number> {
  const { outgoing, incoming, rows, drawn } = drawing;
  const joins = new Map<string, number>();
  const count = (id: string, edges: number): unknown => joins.set(id, (joins.get(id) ?? 0) + edges);
  let nodeId: string | undefined = start;
  let handle = handleOfStart;
  let lead = prefix.first;
  while (nodeId !== undefined) {
    rows.push({ nodeId, prefix: lead, handle });
    drawn.add(nodeId);
    lead = prefix.rest;
    const branches: EdgeDefinition[] = [];
    for (const edge of outgoing.get(nodeId) ?? []) {
      if (drawn.has(edge.target)) continue;
      if ((incoming.get(edge.target) ?? 0) > 1) count(edge.target, 1);
      else branches.push(edge);
    }
    const [next] = branches;
    if (next && branches.length === 1 && joins.size === 0) {
      [nodeId, handle] = [next.target, next.sourceHandle];
      continue;
    }
    for (const [index, { target, sourceHandle }] of branches.entries()) {
      const [corner, line] = index === branches.length - 1 ? ['└─ ', '   '] : ['├─ ', '│  '];
      const inner = { first: prefix.rest + corner, rest: prefix.rest + line };
      for (const [join, edges] of drawFrom(target, sourceHandle, inner, drawing)) count(join, edges);
    }
    nodeId = [...joins].find(([id, edges]) => edges === incoming.get(id))?.[0];
    handle = undefined;
    if (nodeId !== undefined) joins.delete(nodeId);
  }
  return joins;
}
