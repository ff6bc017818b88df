import type { NodeTypes } from '@deckhand/engine';

/** Describes all node types, with the JSON Schemas of their parameters. */
export function describeNodeTypes(nodeTypes: NodeTypes) {
  return [...nodeTypes.values()].map((type) => ({
    type: type.type,
    title: type.title,
    description: type.description,
    keywords: [...type.keywords],
    category: type.category,
    hasEffects: type.hasEffects,
    isTrigger: type.isTrigger,
    /** If the outputs of a type depend on its parameters: those of a node without parameters. */
    handles: type.handles?.({}) ?? [],
    undecidedHandle: type.undecidedHandle ?? null,
    credentialTypes: [...(type.credential?.types ?? [])],
    parameters: type.parameters,
  }));
}
