import { toNumber, toPrimitive, toText } from './convert.ts';
import { fail } from './error.ts';
import { readIndex, readProperty, isForbiddenKey } from './property.ts';
import { spendScan, spendText, type Run } from './run.ts';
import { isContainer, kindOf, type Value } from './value.ts';

/**
 * Returns `a + b`: a sum of numbers, or text if one side is text, as in JavaScript. Charges the text before it is
 * created.
 */
export function add(run: Run, a: Value, b: Value): Value {
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
export function isLooselyEqual(run: Run, a: Value, b: Value): boolean {
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
export function isLess(run: Run, a: Value, b: Value, orEqual: boolean): boolean {
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
export function isIn(run: Run, key: Value, target: Value): boolean {
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
