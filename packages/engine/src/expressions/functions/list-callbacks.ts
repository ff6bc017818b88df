import { toNumber, toText } from '../operators.ts';
import { fail } from '../error.ts';
import { containerBytes, elementBytes } from '../limits.ts';
import { type Run, spendBytes, spendScan, spendSteps } from '../run.ts';
import { isList, type Value } from '../value.ts';
import { type Callback, type CallbackMethod, withCallback } from './definition.ts';

type List = readonly Value[];

function map(run: Run, list: List, callback: Callback): Value[] {
  spendBytes(run, containerBytes + list.length * elementBytes);
  return list.map((item, index) => callback(run, item, index, list));
}

function filter(run: Run, list: List, callback: Callback): Value {
  const kept: Value[] = [];
  spendBytes(run, containerBytes);
  list.forEach((item, index) => {
    if (!callback(run, item, index, list)) return;
    spendBytes(run, elementBytes);
    kept.push(item);
  });
  return kept;
}

function reduce(run: Run, list: List, callback: Callback, args: List): Value {
  let start = 0;
  let result = args[0];
  if (args.length === 0) {
    if (list.length === 0) return fail('reduce of an empty array needs an initial value');
    result = list[0];
    start = 1;
  }
  for (let index = start; index < list.length; index += 1) result = callback(run, result, list[index], index, list);
  return result;
}

function flatMap(run: Run, list: List, callback: Callback): Value {
  const flat: Value[] = [];
  spendBytes(run, containerBytes);
  list.forEach((item, index) => {
    const made = callback(run, item, index, list);
    const items = isList(made) ? made : [made];
    spendSteps(run, items.length);
    spendBytes(run, items.length * elementBytes);
    for (const each of items) flat.push(each);
  });
  return flat;
}

function sort(run: Run, list: List, callback: Callback): Value {
  spendBytes(run, containerBytes + list.length * elementBytes);
  return list.toSorted((a, b) => toNumber(run, callback(run, a, b)));
}

function findIndex(run: Run, list: List, callback: Callback): number {
  return list.findIndex((item, index) => Boolean(callback(run, item, index, list)));
}

function findLastIndex(run: Run, list: List, callback: Callback): number {
  return list.findLastIndex((item, index) => Boolean(callback(run, item, index, list)));
}

/** Methods of arrays that take an arrow function. Each call of it costs as many steps as it has nodes. */
export const listCallbacks: readonly CallbackMethod<List>[] = [
  withCallback('map(fn: (item, index) => any): any[]', 'What the function makes of every element.', map),
  withCallback('filter(fn: (item, index) => any): any[]', 'The elements for which the function is true.', filter),
  withCallback(
    'find(fn: (item, index) => any): any',
    'The first element for which the function is true.',
    (run, list, fn) => list[findIndex(run, list, fn)],
  ),
  withCallback('findIndex(fn: (item, index) => any): number', 'The position of that element, or -1.', findIndex),
  withCallback(
    'findLast(fn: (item, index) => any): any',
    'The last element for which the function is true.',
    (run, list, fn) => list[findLastIndex(run, list, fn)],
  ),
  withCallback(
    'findLastIndex(fn: (item, index) => any): number',
    'The position of that element, or -1.',
    findLastIndex,
  ),
  withCallback(
    'some(fn: (item, index) => any): boolean',
    'Whether the function is true for an element.',
    (run, list, fn) => list.some((item, index) => Boolean(fn(run, item, index, list))),
  ),
  withCallback(
    'every(fn: (item, index) => any): boolean',
    'Whether the function is true for all elements.',
    (run, list, fn) => list.every((item, index) => Boolean(fn(run, item, index, list))),
  ),
  withCallback(
    'reduce(fn: (result, item, index) => any, initial?: any): any',
    'One value built up from all elements.',
    reduce,
  ),
  withCallback(
    'flatMap(fn: (item, index) => any): any[]',
    'Like map; arrays that the function makes are joined.',
    flatMap,
  ),
  withCallback(
    'sort(fn?: (a, b) => number): any[]',
    'A sorted copy; without a function by their texts.',
    sort,
    sortByText,
  ),
  withCallback(
    'sum(fn?: (item, index) => number): number',
    'The sum of the numbers, or of what the function makes of the elements.',
    (run, list, fn) => sum(run, map(run, list, fn)),
    sum,
  ),
  withCallback(
    'unique(fn?: (item, index) => any): any[]',
    'Without repeated elements, or without those for which the function makes the same.',
    (run, list, fn) => distinct(run, list, map(run, list, fn)),
    (run, list) => distinct(run, list, list),
  ),
];

/**
 * Returns a copy of `list` sorted by the texts of its elements, as JavaScript does without a function. Undefined comes
 * last.
 */
function sortByText(run: Run, list: readonly Value[]): Value[] {
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
function sum(run: Run, list: readonly Value[]): number {
  spendSteps(run, list.length);
  return list.reduce<number>((total, value) => total + toNumber(run, value), 0);
}

/** Returns the elements of `list` whose key, at the same position in `keys`, did not occur before. */
function distinct(run: Run, list: readonly Value[], keys: readonly Value[]): Value[] {
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
