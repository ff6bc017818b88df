import { type Node, parseExpressionAt } from 'acorn';
import { full } from 'acorn-walk';
import { braced } from '../expressions/template.ts';
import { isKind } from './script.ts';
import type { Source } from '../source.ts';
import { type Conversion, type Converted, outputOf, single } from './converter.ts';

/** Functions of expressions that scripts do not have. */
const NO_SCRIPT = new Set([
  ...['date', 'check', '$now', 'first', 'last', 'unique', 'base64Encode', 'base64Decode'],
  ...['convert.boolean', 'convert.array', 'convert.object'],
]);

/** What scripts have in place of the function of the same name. */
const CONVERT = [
  'const convert = {',
  "  string: (value) => value == null ? null : typeof value === 'object' ? JSON.stringify(value) : String(value),",
  '  number(value) {',
  '    const number = value == null ? null : Number(value);',
  "    if (Number.isNaN(number)) throw new Error('expected a number');",
  '    return number;',
  '  },',
  '};',
];

/** Steps that an expression may take, as `docs/expressions.md` has it. */
const MAX_STEPS = 100_000;
/** Parts of an expression that are evaluated once, and not for each item: `$nodes.x.output.map((item, index) => …)`. */
const STEPS_ONCE = 8;
/** Longest list that needs no note. */
const LONG_LIST = 10_000;

/**
 * Returns a node whose output is the list that an expression makes: a script, which has time for long lists, or
 * where scripts do not have its functions, an expression.
 */
export function listNode({ id, node, review }: Conversion, expression: string): Converted {
  const prelude = preludeOf(expression);
  if (prelude) return scriptNode({ id, node }, [...prelude, `return ${expression};`].join('\n'), 'list');
  noteLimit([expression], review);
  const set = { id, type: 'set', name: node.name, parameters: { fields: { items: braced(expression) } } };
  return single(set, outputOf(id, 'list', '.items'));
}

/** Returns what a script with an expression begins with; undefined for an expression that scripts cannot evaluate. */
export function preludeOf(expression: string): readonly string[] | undefined {
  const names = namesOf(expression);
  if (names.some((name) => NO_SCRIPT.has(name))) return undefined;
  return names.includes('convert') ? CONVERT : [];
}

/** Returns a script whose result is one item or a list. */
export function scriptNode(
  { id, node }: Pick<Conversion, 'id' | 'node'>,
  source: string,
  shape: Source['shape'],
): Converted {
  return single({ id, type: 'code', name: node.name, parameters: { source } }, outputOf(id, shape));
}

/** Notes how many items expressions of one node can do that map or filter a list, if they are not very many. */
export function noteLimit(expressions: readonly string[], review: (message: string) => void): void {
  const steps = expressions.reduce((sum, each) => sum + nodesOf(each).length - STEPS_ONCE, 0);
  const items = Math.floor(MAX_STEPS / steps / 100) * 100;
  if (items < LONG_LIST)
    review(`lists of more than about ${items} items fail, because an expression may take so many steps`);
}

/** Returns the variables that an expression uses, and the methods that it calls. */
function namesOf(expression: string): string[] {
  return nodesOf(expression).flatMap((node) => {
    if (isKind(node, 'Identifier')) return [node.name];
    if (!isKind(node, 'CallExpression')) return [];
    const { callee } = node;
    if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return [];
    const { name } = callee.property;
    return callee.object.type === 'Identifier' ? [name, `${callee.object.name}.${name}`] : [name];
  });
}

function nodesOf(expression: string): Node[] {
  const nodes: Node[] = [];
  full(parseExpressionAt(expression, 0, { ecmaVersion: 2024 }), (node) => void nodes.push(node));
  return nodes;
}
