import type { Expression, Node, PrivateIdentifier, SpreadElement, Super } from 'acorn';
import { full } from 'acorn-walk';

/** Properties of items and nodes, which are always there. */
const KNOWN_PROPERTY = /^(?:json|item)$/;
/** Names whose properties are always there. */
const KNOWN_NAME = /^(?:\$execution|\$workflow|\$node|\$vars|\$env|Math|JSON|Object|Number|DateTime)$/;

/**
 * Returns whether an expression of n8n reads a property of a value that may be missing, anywhere but in the chain that
 * it consists of: `$json.a.b || 1`, not `$json.a.b`. If the value is missing, n8n has no value for the whole
 * expression (its errors of JavaScript are dropped); here the rest of the expression is evaluated.
 */
export function readsMissingWithin(expression: Expression): boolean {
  let part: Expression | SpreadElement | Super | PrivateIdentifier = expression;
  for (;;) {
    switch (part.type) {
      case 'ParenthesizedExpression':
      case 'ChainExpression':
        part = part.expression;
        break;
      case 'MemberExpression':
        if (part.computed && hasRead(part.property)) return true;
        part = part.object;
        break;
      case 'CallExpression':
        if (part.arguments.some(hasRead)) return true;
        part = part.callee;
        break;
      case 'Identifier':
      case 'Literal':
        return false;
      default:
        return hasRead(part);
    }
  }
}

function hasRead(node: Node): boolean {
  let isFound = false;
  full(node, (each) => {
    if (isMember(each) && !each.optional && mayBeMissing(each.object)) isFound = true;
  });
  return isFound;
}

function isMember(node: Node): node is Extract<Expression, { type: 'MemberExpression' }> {
  return node.type === 'MemberExpression';
}

/** Whether a value is a property of an item, or of what is below it. */
function mayBeMissing(node: Node): boolean {
  if (!isMember(node)) return false;
  const { object, property, computed } = node;
  const isKnown = !computed && property.type === 'Identifier' && KNOWN_PROPERTY.test(property.name);
  return !isKnown && !(object.type === 'Identifier' && KNOWN_NAME.test(object.name));
}
