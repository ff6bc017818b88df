import type { JsonObject } from '@deckhand/contracts';
import type { N8nNode, N8nWorkflow } from './workflow.ts';

/** A node that is connected to another one as its model, parser, tool or memory. */
export interface Attachment {
  /** Such as `ai_languageModel`. */
  readonly kind: string;
  /** The input that it is connected to, of those of its kind. */
  readonly index: number;
  readonly node: N8nNode;
}

/** Nodes that are not steps of their own, but belong to others: models, tools and memories of agents. */
export interface Attachments {
  /** The nodes of the flow that a node belongs to; none for one that belongs to itself. */
  readonly ownersOf: (name: string) => readonly string[];
  /** The originals of all nodes that belong to a node of the flow. */
  readonly of: (name: string) => readonly JsonObject[];
  /** The nodes that are connected to a node, without those that are disabled, in the order of their inputs. */
  readonly to: (name: string) => readonly Attachment[];
}

/** Finds which nodes belong to others. */
export function findAttachments({ nodes, connections }: N8nWorkflow): Attachments {
  const attaching = connections.filter(({ kind }) => kind !== 'main');
  const parents = Map.groupBy(attaching, ({ source }) => source);
  const children = Map.groupBy(attaching, ({ target }) => target);
  const nodeOf = new Map(nodes.map((node) => [node.name, node]));
  const owners = new Map([...parents.keys()].map((name) => [name, rootsOf(name, parents)]));
  return {
    ownersOf: (name) => owners.get(name) ?? [],
    of: (name) =>
      nodes.filter((node) => owners.get(node.name)?.includes(name) === true).map(({ original }) => original),
    to: (name) =>
      (children.get(name) ?? [])
        .flatMap(({ kind, input: index, source }): Attachment[] => {
          const node = nodeOf.get(source);
          return node && !node.isDisabled ? [{ kind, index, node }] : [];
        })
        .toSorted((one, other) => one.index - other.index),
  };
}

/** Returns the nodes at the end of all ways from a node, in the order of its connections. */
function rootsOf(
  name: string,
  parents: ReadonlyMap<string, readonly { readonly target: string }[]>,
): readonly string[] {
  const found = new Set([name]);
  // A set that grows while it is iterated over yields what is added.
  for (const each of found) for (const { target } of parents.get(each) ?? []) found.add(target);
  // Nodes that belong to each other in a circle belong to none.
  return [...found].filter((each) => !parents.has(each));
}
