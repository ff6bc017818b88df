import { exceed } from './error.ts';
import { dataDepthMax } from './limits.ts';
import { spendScan, spendSteps, spendText, type Run } from './run.ts';
import { isList, type Value } from './value.ts';

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
export function toPrimitive(run: Run, value: Value): Primitive {
  if (value === null || typeof value !== 'object') return value;
  return toText(run, value);
}
