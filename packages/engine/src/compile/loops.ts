import type { EdgeDefinition, ValidationIssue, NodeDefinition } from '@deckhand/contracts';
import type { NodeType } from '../node-type.ts';
import { orderNodes } from './cycles.ts';

/** The handle of a container that leads to its body: the nodes that a loop repeats, or whose failures a try catches. */
export const BODY_HANDLE = 'body';
/** The handle by which a try node is left when a node of its body fails. */
export const ERROR_HANDLE = 'error';

/** Maximum depth of nested loops and try nodes. */
const MAX_DEPTH = 20;

/** The innermost container of each node: a loop, or a try. */
export interface Nesting {
  /** Node id → the innermost container around it; a node in none has no entry. */
  readonly innermost: ReadonlyMap<string, string>;
  readonly issues: readonly ValidationIssue[];
}

/**
 * Finds the body of each container: all nodes after its `body` handle. A body is entered through that handle only, so
 * bodies are nested or disjoint, and all edges into a node start in the same body. Call it for graphs without cycles.
 */
export function nestContainers(
  nodes: readonly { readonly node: NodeDefinition; readonly type: Pick<NodeType, 'container'> }[],
  edges: readonly { readonly edge: EdgeDefinition; readonly path: string }[],
): Nesting {
  const containers = new Map(
    nodes.flatMap(({ node, type }) => (type.container === undefined ? [] : [[node.id, node.type] as const])),
  );
  const incoming = new Map<string, (typeof edges)[number][]>();
  for (const entry of edges) {
    const list = incoming.get(entry.edge.target);
    if (list) list.push(entry);
    else incoming.set(entry.edge.target, [entry]);
  }

  const innermost = new Map<string, string>();
  const depths = new Map<string, number>();
  const depthOf = (id: string | undefined): number => (id === undefined ? 0 : (depths.get(id) ?? 0));
  const bodyOf = ({ source, sourceHandle }: EdgeDefinition): string | undefined =>
    containers.has(source) && sourceHandle === BODY_HANDLE ? source : innermost.get(source);

  const issues: ValidationIssue[] = [];
  const ids = nodes.map(({ node }) => node.id);
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
      const type = containers.get(body ?? '') ?? '';
      const message = `"${id}" is inside the body of ${type} "${body ?? ''}", so only its body handle may lead there`;
      issues.push({ path, message });
    }
    if (!containers.has(id)) continue;
    depths.set(id, depthOf(body) + 1);
    if (depthOf(id) === MAX_DEPTH + 1)
      issues.push({ path: 'nodes', message: `"${id}" is inside more than ${MAX_DEPTH} loops and try nodes` });
  }
  return { innermost, issues };
}

/** Returns true if a node is in the body of a container, or of one in it. */
export function isInside(container: string, nodeId: string, innermost: Nesting['innermost']): boolean {
  let around = innermost.get(nodeId);
  while (around !== undefined && around !== container) around = innermost.get(around);
  return around === container;
}
