import { exceed, fail } from './error.ts';
import { dataDepthMax } from './limits.ts';
import { spendScan, spendSteps, spendText, type Run } from './run.ts';
import { isList, type Value, readIndex, readProperty, isForbiddenKey, isContainer, kindOf } from './value.ts';
import type { BinaryExpression, ConditionalExpression, LogicalExpression, UnaryExpression } from 'acorn';
import { refuse, type Compiler, type Evaluate } from './compile/compiler.ts';

type Primitive = undefined | null | boolean | number | string;

/**
 * Returns `value` as text, like JavaScript's `String(value)`, except that a date becomes ISO text. Charges the text.
 */
export function toText(run: Run, value: Value): string {
  return textAtDepth(run, value, 0);
}

function textAtDepth(run: Run, value: Value, depth: number): string {
  if (typeof value === 'string') return value;
  if (value === null || typeof value !== 'object') return String(value);
  if (value instanceof Date) return value.toISOString();
  return isList(value) ? joinAtDepth(run, value, ',', depth) : '[object Object]';
}

/**
 * Returns the elements of `list` as text with `separator` between them. Null and undefined are empty, as in JavaScript.
 */
export function joinTexts(run: Run, list: readonly Value[], separator: string): string {
  return joinAtDepth(run, list, separator, 0);
}

function joinAtDepth(run: Run, list: readonly Value[], separator: string, depth: number): string {
  if (depth > dataDepthMax) exceed('the data nests too deeply');
  spendSteps(run, list.length);
  let characters = Math.max(0, list.length - 1) * separator.length;
  const texts = list.map((item) => {
    const text = item === null || item === undefined ? '' : textAtDepth(run, item, depth + 1);
    characters += text.length;
    return text;
  });
  spendText(run, characters);
  return texts.join(separator);
}

/** Returns `value` as a number, like JavaScript's `Number(value)`; for a date, its milliseconds since 1970. */
export function toNumber(run: Run, value: Value): number {
  if (typeof value === 'number') return value;
  if (value instanceof Date) return value.getTime();
  const primitive = toPrimitive(run, value);
  if (typeof primitive === 'string') spendScan(run, primitive.length);
  return Number(primitive);
}

/**
 * Returns the operand that an operator uses for an array, object or date: its text. JavaScript would call `toString` of
 * the value's prototype, which expressions never do.
 */
function toPrimitive(run: Run, value: Value): Primitive {
  if (value === null || typeof value !== 'object') return value;
  return toText(run, value);
}

/**
 * Returns `a + b`: a sum of numbers, or text if one side is text, as in JavaScript. Charges the text before it is
 * created.
 */
function add(run: Run, a: Value, b: Value): Value {
  const left = toPrimitive(run, a);
  const right = toPrimitive(run, b);
  if (typeof left !== 'string' && typeof right !== 'string') return Number(left) + Number(right);
  const leftText = toText(run, left);
  const rightText = toText(run, right);
  spendText(run, leftText.length + rightText.length);
  return leftText + rightText;
}

/**
 * Returns `a === b`. Arrays and objects are equal to themselves only, as in JavaScript; two dates are equal at the same
 * instant.
 */
export function isStrictlyEqual(run: Run, a: Value, b: Value): boolean {
  if (a instanceof Date && b instanceof Date) return a.getTime() === b.getTime();
  // If the lengths are equal, the comparison reads every character.
  if (typeof a === 'string' && typeof b === 'string' && a.length === b.length) spendScan(run, a.length);
  return a === b;
}

/** Returns `a == b`, with JavaScript's conversions between primitives and the texts of arrays and objects. */
function isLooselyEqual(run: Run, a: Value, b: Value): boolean {
  if (a === null || a === undefined) return b === null || b === undefined;
  if (b === null || b === undefined) return false;
  if (isContainer(a) === isContainer(b) && typeof a === typeof b) return isStrictlyEqual(run, a, b);
  const left = toPrimitive(run, a);
  const right = toPrimitive(run, b);
  if (typeof left === typeof right) return isStrictlyEqual(run, left, right);
  return toNumber(run, left) === toNumber(run, right);
}

/** Returns the operands of a comparison: two texts, or two numbers. */
function comparable(run: Run, value: Value): string | number {
  if (value instanceof Date) return value.getTime();
  const primitive = toPrimitive(run, value);
  return typeof primitive === 'string' ? primitive : toNumber(run, primitive);
}

/** Returns `a < b` when `orEqual` is false, `a <= b` when it is true. The other two operators swap the sides. */
function isLess(run: Run, a: Value, b: Value, orEqual: boolean): boolean {
  const left = comparable(run, a);
  const right = comparable(run, b);
  if (typeof left === 'string' && typeof right === 'string') {
    spendScan(run, Math.min(left.length, right.length));
    return orEqual ? left <= right : left < right;
  }
  const leftNumber = toNumber(run, left);
  const rightNumber = toNumber(run, right);
  return orEqual ? leftNumber <= rightNumber : leftNumber < rightNumber;
}

/**
 * Returns `key in target`: whether an expression could read that property. @throws EvaluationFailure if `target` is no
 * array, object or date.
 */
function isIn(run: Run, key: Value, target: Value): boolean {
  if (!isContainer(target)) return fail(`"in" needs an object or an array on its right, not ${kindOf(target)}`);
  const name = toText(run, key);
  return !isForbiddenKey(name) && Object.hasOwn(target, name);
}

/**
 * Returns `target[key]` for a key that is known only during evaluation.
 * @throws EvaluationFailure for a forbidden key.
 */
export function readComputed(run: Run, target: Value, key: Value): Value {
  if (typeof key === 'number') return readIndex(target, key);
  const name = toText(run, key);
  spendScan(run, name.length);
  return isForbiddenKey(name) ? fail(`the property "${name}" cannot be read`) : readProperty(target, name);
}

type Operate = (run: Run, a: Value, b: Value) => Value;

function arithmetic(operate: (a: number, b: number) => number): Operate {
  return (run, a, b) => operate(toNumber(run, a), toNumber(run, b));
}

const operations: ReadonlyMap<string, Operate> = new Map<string, Operate>([
  ['+', add],
  ['-', arithmetic((a, b) => a - b)],
  ['*', arithmetic((a, b) => a * b)],
  ['/', arithmetic((a, b) => a / b)],
  ['%', arithmetic((a, b) => a % b)],
  ['**', arithmetic((a, b) => a ** b)],
  ['|', arithmetic((a, b) => a | b)],
  ['&', arithmetic((a, b) => a & b)],
  ['^', arithmetic((a, b) => a ^ b)],
  ['<<', arithmetic((a, b) => a << b)],
  ['>>', arithmetic((a, b) => a >> b)],
  ['>>>', arithmetic((a, b) => a >>> b)],
  ['===', isStrictlyEqual],
  ['!==', (run, a, b) => !isStrictlyEqual(run, a, b)],
  ['==', isLooselyEqual],
  ['!=', (run, a, b) => !isLooselyEqual(run, a, b)],
  ['<', (run, a, b) => isLess(run, a, b, false)],
  ['<=', (run, a, b) => isLess(run, a, b, true)],
  ['>', (run, a, b) => isLess(run, b, a, false)],
  ['>=', (run, a, b) => isLess(run, b, a, true)],
  ['in', isIn],
]);

/** Compiles an operator between two values. */
export function compileBinary(compiler: Compiler, node: BinaryExpression): Evaluate {
  if (node.left.type === 'PrivateIdentifier') return refuse(node.left, 'private names are not part of the language');
  const operate = operations.get(node.operator);
  if (operate === undefined) return refuse(node, `the operator "${node.operator}" is not part of the language`);
  const left = compiler.compile(node.left);
  const right = compiler.compile(node.right);
  const at = node.start;
  return (run) => {
    const a = left(run);
    const b = right(run);
    run.at = at;
    return operate(run, a, b);
  };
}

/** Compiles `!`, `-`, `+`, `~` and `typeof`. */
export function compileUnary(compiler: Compiler, node: UnaryExpression): Evaluate {
  const operand = compiler.compile(node.argument);
  switch (node.operator) {
    case '!':
      return (run) => !operand(run);
    case '-':
      return (run) => -toNumber(run, operand(run));
    case '+':
      return (run) => toNumber(run, operand(run));
    case '~':
      return (run) => ~toNumber(run, operand(run));
    case 'typeof':
      return (run) => typeof operand(run);
    default:
      return refuse(node, `"${node.operator}" is not part of the language`);
  }
}

/** Compiles `&&`, `||` and `??`. The right side is evaluated only if needed. */
export function compileLogical(compiler: Compiler, node: LogicalExpression): Evaluate {
  const left = compiler.compile(node.left);
  const right = compiler.compile(node.right);
  switch (node.operator) {
    case '&&':
      return (run) => left(run) && right(run);
    case '||':
      return (run) => {
        const value = left(run);
        if (value) return value;
        return right(run);
      };
    case '??':
      return (run) => left(run) ?? right(run);
  }
}

/** Compiles `test ? a : b`. */
export function compileConditional(compiler: Compiler, node: ConditionalExpression): Evaluate {
  const test = compiler.compile(node.test);
  const consequent = compiler.compile(node.consequent);
  const alternate = compiler.compile(node.alternate);
  return (run) => (test(run) ? consequent(run) : alternate(run));
}
