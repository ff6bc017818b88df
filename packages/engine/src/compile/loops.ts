import type { EdgeDefinition, Fault, NodeDefinition } from '@deckhand/contracts';

/** The handle whose nodes a loop repeats. */
export const BODY_HANDLE = 'body';

/** Which nodes each loop repeats, and which loop directly holds a node. */
export interface LoopNesting {
  /** Loop id → every node of its body, nested bodies included. */
  readonly bodies: ReadonlyMap<string, ReadonlySet<string>>;
  /** Node id → the innermost loop around it. */
  readonly innermost: ReadonlyMap<string, string>;
  readonly faults: readonly Fault[];
}

/**
 * Finds the body of each loop: whatever its `body` handle leads to. A body is entered through that handle only, so
 * bodies nest or are apart. Call it for graphs without cycles.
 */
export function nestLoops(
  nodes: readonly NodeDefinition[],
  edges: readonly { readonly edge: EdgeDefinition; readonly path: string }[],
): LoopNesting {
  const outgoing = new Map<string, EdgeDefinition[]>(nodes.map((node) => [node.id, []]));
  for (const { edge } of edges) outgoing.get(edge.source)?.push(edge);

  const bodies = new Map<string, Set<string>>();
  for (const node of nodes) {
    if (node.type === 'loop') bodies.set(node.id, reachFrom(node.id, outgoing));
  }

  const faults: Fault[] = [];
  for (const { edge, path } of edges) {
    for (const [loop, body] of bodies) {
      const isEntry = edge.source === loop && edge.sourceHandle === BODY_HANDLE;
      if (body.has(edge.target) && !body.has(edge.source) && !isEntry) {
        const message = `"${edge.target}" is inside the body of loop "${loop}", so only the loop's body handle may lead there`;
        faults.push({ path, message });
      }
    }
  }

  // The smallest body around a node is the innermost one, since bodies nest.
  const innermost = new Map<string, string>();
  const bySize = [...bodies].sort(([, a], [, b]) => b.size - a.size);
  for (const [loop, body] of bySize) for (const id of body) innermost.set(id, loop);
  return { bodies, innermost, faults };
}

function reachFrom(loop: string, outgoing: ReadonlyMap<string, EdgeDefinition[]>): Set<string> {
  const reached = new Set<string>();
  const ahead = (outgoing.get(loop) ?? [])
    .filter((edge) => edge.sourceHandle === BODY_HANDLE)
    .map((edge) => edge.target);
  for (let id = ahead.pop(); id !== undefined; id = ahead.pop()) {
    if (reached.has(id)) continue;
    reached.add(id);
    for (const edge of outgoing.get(id) ?? []) ahead.push(edge.target);
  }
  return reached;
}
