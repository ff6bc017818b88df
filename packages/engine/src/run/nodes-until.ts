import type { CompiledWorkflow, GraphNode } from '../compile/graph.ts';
import { BODY_HANDLE } from '../compile/loops.ts';

/**
 * Returns the ids of the nodes that a run up to a node needs: the node, with its body if it is a container, and all
 * nodes before it. Of the containers around it, only the nodes before it in their bodies.
 * @throws RangeError if the workflow has no such node.
 */
export function nodesUntil(workflow: CompiledWorkflow, untilNodeId: string): Set<string> {
  const until = workflow.nodes.get(untilNodeId);
  if (!until) throw new RangeError(`the workflow has no node ${untilNodeId}`);
  const found = new Set<string>();
  const open = withBody(until);
  for (let node = open.pop(); node; node = open.pop()) {
    if (found.has(node.id)) continue;
    found.add(node.id);
    for (const { source, handle } of node.incoming)
      open.push(...(handle === BODY_HANDLE ? [source] : withBody(source)));
  }
  return found;
}

/** Returns a node and, for a container, all nodes in it. */
function withBody(node: GraphNode): GraphNode[] {
  return [node, ...(node.body?.nodes ?? []).flatMap(withBody)];
}

/**
 * Returns whether a run up to a node leaves out a part of the body of a container.
 * @param until what `nodesUntil` returned; undefined for a run to the end.
 */
export function isCut({ body }: GraphNode, until: ReadonlySet<string> | undefined): boolean {
  return until !== undefined && body?.nodes.some(({ id }) => !until.has(id)) === true;
}
