import type { ContainerKind, Definition, NodeDefinition } from '@deckhand/contracts';
import type { NodeTypes } from './handles.ts';

/** The output of a container that starts its body. */
export const BODY = 'body';

/** A node that contains others. */
export interface Container {
  readonly node: NodeDefinition;
  readonly kind: ContainerKind;
  /** The ids of all nodes in its body. */
  readonly body: ReadonlySet<string>;
  /** Those of them that are in no container inside it. */
  readonly own: readonly string[];
}

/** Finds the nodes that contain others, inner ones first. No edge leaves a body; a draft may have cycles. */
export function containersOf({ nodes, edges }: Pick<Definition, 'nodes' | 'edges'>, types: NodeTypes): Container[] {
  const outgoing = Map.groupBy(edges, ({ source }) => source);
  const contained = new Set<string>();
  return (
    nodes
      .flatMap((node) => {
        const kind = types.get(node.type)?.container ?? null;
        if (kind === null) return [];
        const start = (outgoing.get(node.id) ?? []).filter(({ sourceHandle }) => sourceHandle === BODY);
        const body = new Set(start.map(({ target }) => target));
        // Iterating over a set includes elements that are added meanwhile.
        for (const id of body) for (const { target } of outgoing.get(id) ?? []) body.add(target);
        return [{ node, kind, body }];
      })
      .filter(({ body }) => body.size > 0)
      // A body contains the bodies of its inner containers.
      .sort((one, other) => one.body.size - other.body.size)
      .map(({ body, ...container }) => {
        const own = [...body].filter((id) => !contained.has(id));
        for (const id of own) contained.add(id);
        return { ...container, body, own };
      })
  );
}
