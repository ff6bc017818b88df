import { toNumber, toText } from '../operators.ts';
import { fail } from '../error.ts';
import type { Run } from '../run.ts';
import { isList, kindOf, type Value } from '../value.ts';

/** Returns argument `index` as text; a missing one is "undefined", as in JavaScript. */
export function textArgument(run: Run, args: readonly Value[], index: number): string {
  return toText(run, args[index]);
}

/** Returns argument `index` as a number, or `undefined` if it is missing. */
export function numberArgument(run: Run, args: readonly Value[], index: number): number | undefined {
  const value = args[index];
  return value === undefined ? undefined : toNumber(run, value);
}

/** Returns argument `index` as an integer (NaN is 0), or `fallback` if it is missing. */
export function wholeArgument(run: Run, args: readonly Value[], index: number, fallback: number): number {
  const value = numberArgument(run, args, index);
  if (value === undefined) return fallback;
  return Number.isNaN(value) ? 0 : Math.trunc(value);
}

/**
 * Returns argument `index` as an array. `name` is the function's, for the message. @throws EvaluationFailure for other
 * values.
 */
export function listArgument(args: readonly Value[], index: number, name: string): readonly Value[] {
  const value = args[index];
  return value !== undefined && isList(value) ? value : fail(`${name} needs an array, not ${kindOf(value)}`);
}
