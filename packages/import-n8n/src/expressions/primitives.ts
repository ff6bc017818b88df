import type { Expression } from 'acorn';
import { isKind, nameOf } from './syntax.ts';

/** Methods and functions that return text, numbers or booleans. */
const PRIMITIVE = new Set([
  ...['toUpperCase', 'toLowerCase', 'trim', 'trimStart', 'trimEnd', 'padStart', 'padEnd', 'repeat', 'substring'],
  ...['charAt', 'includes', 'startsWith', 'endsWith', 'indexOf', 'lastIndexOf', 'localeCompare', 'toString', 'replace'],
  ...[
    'replaceAll',
    'search',
    'test',
    'toFixed',
    'toPrecision',
    'join',
    'findIndex',
    'some',
    'every',
    'toISO',
    'format',
  ],
  ...['toFormat', 'toISOString', 'toISODate', 'toMillis', 'getTime', 'stringify', 'toJsonString', 'round', 'floor'],
  ...['ceil', 'abs', 'now', 'String', 'Number', 'Boolean', 'parseInt', 'parseFloat', 'encodeURIComponent', 'encodeURI'],
]);

/** Returns whether the value of an expression can never be a list or an object. */
export function isPrimitive(node: Expression): boolean {
  switch (node.type) {
    case 'Literal':
    case 'TemplateLiteral':
    case 'UnaryExpression':
    case 'BinaryExpression':
      return true;
    case 'ParenthesizedExpression':
    case 'ChainExpression':
      return isPrimitive(node.expression);
    case 'LogicalExpression':
      return isPrimitive(node.left) && isPrimitive(node.right);
    case 'ConditionalExpression':
      return isPrimitive(node.consequent) && isPrimitive(node.alternate);
    case 'Identifier':
      return node.name === '$itemIndex';
    case 'MemberExpression':
      return (
        !node.computed &&
        (nameOf(node.property) === 'length' || /^\$(execution|workflow)$/.test(nameOf(node.object) ?? ''))
      );
    case 'CallExpression': {
      const { callee } = node;
      const name = isKind(callee, 'MemberExpression') && !callee.computed ? nameOf(callee.property) : nameOf(callee);
      return name !== undefined && PRIMITIVE.has(name);
    }
    default:
      return false;
  }
}
