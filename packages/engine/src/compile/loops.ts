import type { EdgeDefinition, ValidationIssue, NodeDefinition } from '@deckhand/contracts';
import { orderNodes } from './cycles.js';

/** The handle whose nodes a loop repeats. */
export const BODY_HANDLE = 'body';

/** Maximum depth of nested loops. */
const MAX_LOOP_DEPTH = 20;

/** The innermost loop of each node. */
export interface LoopNesting {
  /** Node id → the innermost loop around it; a node in no loop has no entry. */
  readonly innermost: ReadonlyMap<string, string>;
  readonly issues: readonly ValidationIssue[];
}

/**
 * Finds the body of each loop: all nodes after its `body` handle. A body is entered through that handle only, so bodies
 * are nested or disjoint, and all edges into a node start in the same body. Call it for graphs without cycles.
 */
export function nestLoops(
  nodes: readonly NodeDefinition[],
  edges: readonly { readonly edge: EdgeDefinition; readonly path: string }[],
): LoopNesting {
  const loops = new Set(nodes.filter(({ type }) => type === 'loop').map(({ id }) => id));
  const incoming = new Map<string, (typeof edges)[number][]>();
  for (const entry of edges) {
    const list = incoming.get(entry.edge.target);
    if (list) list.push(entry);
    else incoming.set(entry.edge.target, [entry]);
  }

  const innermost = new Map<string, string>();
  const depths = new Map<string, number>();
  const depthOf = (loop: string | undefined): number => (loop === undefined ? 0 : (depths.get(loop) ?? 0));
  const bodyOf = ({ source, sourceHandle }: EdgeDefinition): string | undefined =>
    loops.has(source) && sourceHandle === BODY_HANDLE ? source : innermost.get(source);

  const issues: ValidationIssue[] = [];
  const ids = nodes.map(({ id }) => id);
  // All sources of a node come before it.
  for (const id of orderNodes(
    ids,
    edges.map(({ edge }) => edge),
  ).order) {
    const entries = incoming.get(id) ?? [];
    let body: string | undefined;
    for (const { edge } of entries) if (depthOf(bodyOf(edge)) > depthOf(body)) body = bodyOf(edge);
    if (body !== undefined) innermost.set(id, body);
    for (const { edge, path } of entries) {
      if (bodyOf(edge) === body) continue;
      const message = `"${id}" is inside the body of loop "${body ?? ''}", so only the loop's body handle may lead there`;
      issues.push({ path, message });
    }
    if (!loops.has(id)) continue;
    depths.set(id, depthOf(body) + 1);
    if (depthOf(id) === MAX_LOOP_DEPTH + 1)
      issues.push({ path: 'nodes', message: `"${id}" is inside more than ${MAX_LOOP_DEPTH} loops` });
  }
  return { innermost, issues };
}

/** Returns true if a node is in the body of `loop`, or of a loop in it. */
export function isInside(loop: string, nodeId: string, innermost: LoopNesting['innermost']): boolean {
  let around = innermost.get(nodeId);
  while (around !== undefined && around !== loop) around = innermost.get(around);
  return around === loop;
}
