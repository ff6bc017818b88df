import type { CompiledWorkflow, GraphNode } from '../compile/graph.ts';

/** A loop or agent with several iterations at the same time, and a node in it that sends requests with a credential. */
export interface CredentialLoop {
  readonly loopId: string;
  /** The path of its concurrency in the definition. */
  readonly path: string;
  readonly concurrency: number;
  readonly nodeId: string;
  /** In lower case. */
  readonly credentialId: string;
}

/**
 * Finds the loops and agents around nodes that send requests with a credential. Whether its limit is lower than their
 * concurrency is known where credentials are stored.
 */
export function findCredentialLoops({ definition, nodes }: CompiledWorkflow): CredentialLoop[] {
  const indexes = new Map(definition.nodes.map(({ id }, index) => [id, index]));
  return definition.nodes.flatMap(({ id, credentialId, disabled }): CredentialLoop[] => {
    const node = nodes.get(id);
    if (!node?.type.hasEffects || credentialId === undefined || disabled === true) return [];
    const { loop, concurrency } = widestLoopAround(node);
    if (!loop) return [];
    const path = `nodes[${indexes.get(loop.id) ?? 0}].parameters.concurrency`;
    return [{ loopId: loop.id, path, concurrency, nodeId: id, credentialId: credentialId.toLowerCase() }];
  });
}

function widestLoopAround(node: GraphNode): { readonly loop: GraphNode | undefined; readonly concurrency: number } {
  let widest: { loop: GraphNode | undefined; concurrency: number } = { loop: undefined, concurrency: 1 };
  for (let around = node.region.container; around; around = around.region.container) {
    const concurrency = around.type.container !== 'try' ? around.definition.parameters?.concurrency : undefined;
    if (typeof concurrency === 'number' && concurrency > widest.concurrency) widest = { loop: around, concurrency };
  }
  return widest;
}
