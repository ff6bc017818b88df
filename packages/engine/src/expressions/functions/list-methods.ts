import { joinTexts, isStrictlyEqual } from '../operators.ts';
import { exceed } from '../error.ts';
import { containerBytes, dataDepthMax, elementBytes } from '../limits.ts';
import { spendBytes, spendSteps, type Run } from '../run.ts';
import { isList, type Value } from '../value.ts';
import { numberArgument, textArgument, wholeArgument } from './arguments.ts';
import { plain, type PlainMethod } from './definition.ts';

type List = readonly Value[];

function chargeList(run: Run, length: number): void {
  spendBytes(run, containerBytes + length * elementBytes);
  // Copying an element takes a tenth of the time of reading it in an expression.
  spendSteps(run, length / 16);
}

function concat(run: Run, list: List, args: List): Value {
  const lists = [list, ...args.map((arg) => (isList(arg) ? arg : [arg]))];
  for (const each of lists) chargeList(run, each.length);
  return lists.flat();
}

function flatten(run: Run, list: List, levels: number, depth: number, flat: Value[]): Value[] {
  if (depth > dataDepthMax) exceed('the data nests too deeply');
  spendSteps(run, list.length);
  for (const item of list) {
    if (levels > 0 && isList(item)) {
      flatten(run, item, levels - 1, depth + 1, flat);
    } else {
      spendBytes(run, elementBytes);
      flat.push(item);
    }
  }
  return flat;
}

/** Returns a start position with JavaScript's meaning: negative ones count from the end. */
function startOf(run: Run, list: List, args: List): number {
  const from = wholeArgument(run, args, 1, 0);
  return from < 0 ? Math.max(0, list.length + from) : from;
}

function indexOf(run: Run, list: List, args: List): number {
  for (let index = startOf(run, list, args); index < list.length; index += 1) {
    spendSteps(run, 1);
    if (isStrictlyEqual(run, list[index], args[0])) return index;
  }
  return -1;
}

function lastIndexOf(run: Run, list: List, args: List): number {
  const from = wholeArgument(run, args, 1, list.length - 1);
  for (let index = Math.min(from < 0 ? list.length + from : from, list.length - 1); index >= 0; index -= 1) {
    spendSteps(run, 1);
    if (isStrictlyEqual(run, list[index], args[0])) return index;
  }
  return -1;
}

/** Returns whether the first argument is among the elements, from the position that is the second. */
export function includes(run: Run, list: List, args: List): boolean {
  if (!Number.isNaN(args[0])) return indexOf(run, list, args) !== -1;
  spendSteps(run, list.length);
  return list.includes(args[0], startOf(run, list, args));
}

function slice(run: Run, list: List, args: List): Value {
  chargeList(run, list.length);
  return list.slice(numberArgument(run, args, 0), numberArgument(run, args, 1));
}

/** Methods of arrays that take no function. None changes its array. */
export const listMethods: readonly PlainMethod<List>[] = [
  plain('includes(value: any, from?: number): boolean', 'Whether a value is among the elements.', includes),
  plain('indexOf(value: any, from?: number): number', 'Where a value first is, or -1.', indexOf),
  plain('lastIndexOf(value: any, from?: number): number', 'Where a value last is, or -1.', lastIndexOf),
  plain(
    'join(separator?: string): string',
    'The texts of all elements, with "," or another separator between.',
    (run, list, args) => joinTexts(run, list, args[0] === undefined ? ',' : textArgument(run, args, 0)),
  ),
  plain('slice(start?: number, end?: number): any[]', 'A part; negative positions count from the end.', slice),
  plain('concat(...values: any[]): any[]', 'The elements followed by others; arrays are joined.', concat),
  plain(
    'flat(depth?: number): any[]',
    'With the elements of inner arrays in their place, 1 level deep or more.',
    (run, list, args) => {
      spendBytes(run, containerBytes);
      return flatten(run, list, wholeArgument(run, args, 0, 1), 0, []);
    },
  ),
  plain('at(index: number): any', 'The element at a position; -1 is the last.', (run, list, args) =>
    list.at(wholeArgument(run, args, 0, 0)),
  ),
  plain('first(): any', 'The first element.', (_run, list) => list[0]),
  plain('last(): any', 'The last element.', (_run, list) => list.at(-1)),
  plain('reverse(): any[]', 'A copy in reverse order.', (run, list) => {
    chargeList(run, list.length);
    return list.toReversed();
  }),
  plain('toString(): string', 'The same as join().', (run, list) => joinTexts(run, list, ',')),
];
