import type { JsonObject } from '@deckhand/contracts';
import type { N8nWorkflow } from './workflow.ts';

/** Nodes that are not steps of their own, but belong to one: models, tools and memories of agents. */
export interface Attachments {
  /** The node of the flow that a node belongs to; undefined for one that belongs to itself. */
  readonly ownerOf: (name: string) => string | undefined;
  /** The originals of all nodes that belong to a node of the flow. */
  readonly of: (name: string) => readonly JsonObject[];
}

/** Finds which nodes belong to others. A node that several have belongs to the first of them. */
export function findAttachments({ nodes, connections }: N8nWorkflow): Attachments {
  const parents = new Map<string, string>();
  for (const { source, target, kind } of connections) {
    if (kind !== 'main' && !parents.has(source)) parents.set(source, target);
  }
  const owners = new Map<string, string>();
  for (const name of parents.keys()) {
    const seen = new Set<string>([name]);
    let owner = name;
    for (let parent = parents.get(name); parent !== undefined && !seen.has(parent); parent = parents.get(parent)) {
      seen.add(parent);
      owner = parent;
    }
    // Nodes that belong to each other in a circle belong to none.
    if (!parents.has(owner)) owners.set(name, owner);
  }
  const attached = Map.groupBy(
    nodes.filter(({ name }) => owners.has(name)),
    ({ name }) => owners.get(name),
  );
  return {
    ownerOf: (name) => owners.get(name),
    of: (name) => (attached.get(name) ?? []).map(({ original }) => original),
  };
}
