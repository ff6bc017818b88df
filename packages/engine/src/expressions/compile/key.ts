import type { MemberExpression } from 'acorn';
import { isForbiddenKey } from '../property.ts';
import { refuse } from './compiler.ts';

/**
 * Returns the name that a member access reads if it is in the source (`a.b`, `a["b"]`, `a[0]`), otherwise undefined.
 * Refuses forbidden names.
 */
export function staticKey(node: MemberExpression): string | undefined {
  const { property } = node;
  if (property.type === 'PrivateIdentifier') return refuse(property, 'private names are not part of the language');
  const key = nameOf(node);
  if (key !== undefined && isForbiddenKey(key)) refuse(property, `the property "${key}" cannot be read`);
  return key;
}

function nameOf({ computed, property }: MemberExpression): string | undefined {
  if (!computed) return property.type === 'Identifier' ? property.name : undefined;
  if (property.type === 'TemplateLiteral' && property.expressions.length === 0) {
    return property.quasis[0]?.value.cooked ?? undefined;
  }
  const isName =
    property.type === 'Literal' && (typeof property.value === 'string' || typeof property.value === 'number');
  return isName ? String(property.value) : undefined;
}
