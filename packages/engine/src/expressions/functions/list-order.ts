import { toNumber, toText } from '../convert.ts';
import { containerBytes, elementBytes } from '../limits.ts';
import { spendBytes, spendScan, spendSteps, type Run } from '../run.ts';
import type { Value } from '../value.ts';

/**
 * Returns a copy of `list` sorted by the texts of its elements, as JavaScript does without a function. Undefined comes
 * last.
 */
export function sortByText(run: Run, list: readonly Value[]): Value[] {
  const rounds = Math.log2(list.length + 2);
  spendSteps(run, list.length * rounds);
  spendBytes(run, containerBytes + list.length * elementBytes * 3);
  const defined = list.filter((value) => value !== undefined);
  const keyed = defined.map((value) => {
    const text = toText(run, value);
    spendScan(run, text.length * rounds);
    return { text, value };
  });
  keyed.sort((a, b) => (a.text < b.text ? -1 : Number(a.text > b.text)));
  const missing = new Array<Value>(list.length - defined.length).fill(undefined);
  return [...keyed.map(({ value }) => value), ...missing];
}

/** Returns the sum of the elements as numbers: 0 for none, NaN if one is not a number. */
export function sum(run: Run, list: readonly Value[]): number {
  spendSteps(run, list.length);
  return list.reduce<number>((total, value) => total + toNumber(run, value), 0);
}

/** Returns the elements of `list` whose key, at the same position in `keys`, did not occur before. */
export function distinct(run: Run, list: readonly Value[], keys: readonly Value[]): Value[] {
  spendSteps(run, list.length);
  spendBytes(run, containerBytes + list.length * elementBytes * 4);
  const seen = new Set<Value>();
  return list.filter((_value, index) => {
    const key = keys[index];
    if (typeof key === 'string') spendScan(run, key.length);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
