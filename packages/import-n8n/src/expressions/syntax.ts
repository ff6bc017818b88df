import type { Expression, Node } from 'acorn';

/** Returns the name of an identifier. */
export function nameOf(node: Node | undefined): string | undefined {
  return isKind(node, 'Identifier') ? node.name : undefined;
}

/** Returns the text of a literal. */
export function literalText(node: Node | undefined): string | undefined {
  return isKind(node, 'Literal') && typeof node.value === 'string' ? node.value : undefined;
}

/** Narrows a node to the expressions of a type. */
export function isKind<T extends Expression['type']>(
  node: Node | undefined,
  type: T,
): node is Extract<Expression, { type: T }> {
  return node?.type === type;
}
