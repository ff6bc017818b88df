import type { NodeTypes } from '@deckhand/engine';

/** Describes all node types, with the JSON Schemas of their parameters. */
export function describeNodeTypes(nodeTypes: NodeTypes) {
  return [...nodeTypes.values()].map((type) => ({
    type: type.type,
    title: type.title,
    description: type.description,
    keywords: [...type.keywords],
    category: type.category,
    icon: type.icon,
    summary: [...type.summary],
    hasEffects: type.hasEffects,
    isTrigger: type.isTrigger,
    handles: [...type.handles],
    handlesBy: type.handlesBy,
    undecidedHandle: type.undecidedHandle ?? null,
    container: type.container ?? null,
    credentialTypes: [...(type.credential?.types ?? [])],
    errors: [...type.errors],
    parameters: type.parameters,
    form: type.form,
    outputSchema: type.outputSchema ?? null,
    outputMembersOf: type.outputMembersOf ?? null,
  }));
}
