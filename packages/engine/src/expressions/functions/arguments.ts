import { toNumber, toText } from '../convert.js';
import { fail } from '../failure.js';
import type { Run } from '../run.js';
import { isList, kindOf, type Value } from '../value.js';

/** Argument `index` as text; a missing one is "undefined", as in JavaScript. */
export function textArgument(run: Run, args: readonly Value[], index: number): string {
  return toText(run, args[index]);
}

/** Argument `index` as a number, or `undefined` when it is missing. */
export function numberArgument(run: Run, args: readonly Value[], index: number): number | undefined {
  const value = args[index];
  return value === undefined ? undefined : toNumber(run, value);
}

/** Argument `index` as a whole number (NaN is 0), or `fallback` when it is missing. */
export function wholeArgument(run: Run, args: readonly Value[], index: number, fallback: number): number {
  const value = numberArgument(run, args, index);
  if (value === undefined) return fallback;
  return Number.isNaN(value) ? 0 : Math.trunc(value);
}

/** Argument `index` as an array. Throws when it is none; `name` is the function's, for the message. */
export function listArgument(args: readonly Value[], index: number, name: string): readonly Value[] {
  const value = args[index];
  return value !== undefined && isList(value) ? value : fail(`${name} needs an array, not ${kindOf(value)}`);
}
