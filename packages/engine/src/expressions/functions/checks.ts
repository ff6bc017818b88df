import { fail } from '../error.ts';
import { compilePattern, isPatternIssue, testPattern } from '../pattern.ts';
import { type Run, spendScan, spendSteps, spendText } from '../run.ts';
import { isContainer, ownKeys, type Value } from '../value.ts';
import {
  type Cast,
  castBoolean,
  castDate,
  castList,
  castNumber,
  castObject,
  castText,
  CHECK_OPTIONS,
  type CheckOptions,
  textOfDate,
} from './casts.ts';
import type { GlobalFunction } from './definition.ts';
import { includes } from './list-methods.ts';
import { endsWithText, includesText, startsWithText } from './text-methods.ts';

type Nothing = null | undefined;
type Test<L, R> = (run: Run, left: L | Nothing, right: R | Nothing, options: CheckOptions) => boolean;
type Tests<L, R = L> = Readonly<Record<string, Test<L, R>>>;

function optionsOf(args: readonly Value[]): CheckOptions {
  const options = args.map((arg) => CHECK_OPTIONS.find((each) => each === arg));
  const known = options.filter((each) => each !== undefined);
  if (known.length < options.length) return fail(`the options of a check are ${CHECK_OPTIONS.join(', ')}`);
  return new Set(known);
}

const castNothing: Cast<Value> = (_run, value) => value;

/** Returns the operand of a comparison of numbers, as JavaScript has it: null is 0, a missing value NaN. */
const operand = (value: Value): number => (value === null ? 0 : typeof value === 'number' ? value : NaN);

const isThere = (value: Value): boolean => value !== undefined && value !== null && !Number.isNaN(value);

const NUMBERS: Tests<number> = {
  empty: (_run, left) => !isThere(left),
  notEmpty: (_run, left) => isThere(left),
  equals: (_run, left, right) => left === right,
  notEquals: (_run, left, right) => left !== right,
  gt: (_run, left, right) => operand(left) > operand(right),
  lt: (_run, left, right) => operand(left) < operand(right),
  gte: (_run, left, right) => operand(left) >= operand(right),
  lte: (_run, left, right) => operand(left) <= operand(right),
};

const BOOLEANS: Tests<boolean> = {
  empty: (_run, left) => !isThere(left),
  notEmpty: (_run, left) => isThere(left),
  true: (_run, left) => left === true,
  false: (_run, left) => left !== true,
  equals: (_run, left, right) => left === right,
  notEquals: (_run, left, right) => left !== right,
};

/** Compares texts. Nothing is an empty text. */
const ofTexts =
  (test: (run: Run, left: string, right: string) => boolean): Test<string, string> =>
  (run, left, right, options) =>
    test(run, folded(run, left ?? '', options), folded(run, right ?? '', options));

function folded(run: Run, text: string, options: CheckOptions): string {
  if (!options.has('ignoreCase')) return text;
  spendText(run, text.length);
  return text.toLowerCase();
}

function isEqualText(run: Run, left: string, right: string): boolean {
  if (left.length === right.length) spendScan(run, left.length);
  return left === right;
}

/** A pattern is text, or a literal such as `/^a/i`. Ignoring case changes the text alone. */
const matches: Test<string, string> = (run, left, right, options) => {
  const [, source = right ?? '', flags = ''] = /^\/(.*?)\/([gimusy]*)$/.exec((right ?? '').slice(0, 2_000)) ?? [];
  const pattern = compilePattern(source, flags);
  if (isPatternIssue(pattern)) return fail(pattern.message);
  spendSteps(run, pattern.size / 2);
  return testPattern(run, pattern, folded(run, left ?? '', options));
};

const TEXTS: Tests<string> = {
  empty: (_run, left) => (left ?? '') === '',
  notEmpty: (_run, left) => (left ?? '') !== '',
  equals: ofTexts(isEqualText),
  notEquals: ofTexts((run, left, right) => !isEqualText(run, left, right)),
  contains: ofTexts((run, left, right) => includesText(run, left, [right])),
  notContains: ofTexts((run, left, right) => !includesText(run, left, [right])),
  startsWith: ofTexts((run, left, right) => startsWithText(run, left, [right])),
  notStartsWith: ofTexts((run, left, right) => !startsWithText(run, left, [right])),
  endsWith: ofTexts((run, left, right) => endsWithText(run, left, [right])),
  notEndsWith: ofTexts((run, left, right) => !endsWithText(run, left, [right])),
  regex: matches,
  notRegex: (...given) => !matches(...given),
};

/** Compares dates. Without one of them, no comparison is true. */
const ofDates =
  (test: (left: number, right: number) => boolean): Test<Date, Date> =>
  (_run, left, right) =>
    left instanceof Date && right instanceof Date && test(left.getTime(), right.getTime());

const DATES: Tests<Date> = {
  empty: (_run, left) => !isThere(left),
  notEmpty: (_run, left) => isThere(left),
  equals: ofDates((left, right) => left === right),
  notEquals: ofDates((left, right) => left !== right),
  after: ofDates((left, right) => left > right),
  before: ofDates((left, right) => left < right),
  afterOrEquals: ofDates((left, right) => left >= right),
  beforeOrEquals: ofDates((left, right) => left <= right),
};

const contains: Test<readonly Value[], Value> = (run, left, right, options) => {
  if (!options.has('ignoreCase') || typeof right !== 'string') return includes(run, left ?? [], [right]);
  const wanted = folded(run, right, options);
  return (left ?? []).some((item) => {
    spendSteps(run, 1);
    return typeof item === 'string' && isEqualText(run, folded(run, item, options), wanted);
  });
};

const LISTS: Tests<readonly Value[], Value> = {
  empty: (_run, left) => !left?.length,
  notEmpty: (_run, left) => Boolean(left?.length),
  contains,
  notContains: (...given) => !contains(...given),
  lengthEquals: (_run, left, right) => (left?.length ?? 0) === right,
  lengthNotEquals: (_run, left, right) => (left?.length ?? 0) !== right,
  lengthGt: (_run, left, right) => (left?.length ?? 0) > operand(right),
  lengthLt: (_run, left, right) => (left?.length ?? 0) < operand(right),
  lengthGte: (_run, left, right) => (left?.length ?? 0) >= operand(right),
  lengthLte: (_run, left, right) => (left?.length ?? 0) <= operand(right),
};

function hasMembers(run: Run, value: Value): boolean {
  const { length } = ownKeys(value);
  spendSteps(run, length / 16);
  return length > 0;
}

const OBJECTS: Tests<Value> = {
  empty: (run, left) => !hasMembers(run, left),
  notEmpty: (run, left) => hasMembers(run, left),
};

const isNothing: Test<Value, Value> = (run, left) =>
  !isThere(left) || left === '' || (isContainer(left) && !hasMembers(run, left));

const VALUES: Tests<Value> = { empty: isNothing, notEmpty: (...given) => !isNothing(...given) };

/** Defines the checks of a type. The second value may be of another type. */
function ofType<L extends Value, R extends Value>(
  type: string,
  doc: string,
  tests: Tests<L, R>,
  castLeft: Cast<L>,
  castRight: (operation: string) => Cast<R>,
): GlobalFunction {
  const byName = new Map(
    Object.entries<Test<L, R>>({
      exists: (_run, left) => isThere(left),
      notExists: (_run, left) => !isThere(left),
      ...tests,
    }),
  );
  return {
    signature: `check.${type}(value: any, operation: string, other?: any, ...options: string[]): boolean`,
    doc,
    apply(run, [first, name, second, ...rest]) {
      const test = typeof name === 'string' ? byName.get(name) : undefined;
      if (typeof name !== 'string' || test === undefined)
        return fail(`check.${type} has the operations ${[...byName.keys()].join(', ')}`);
      const options = optionsOf(rest);
      const cast = <T>(value: Value, castOther: Cast<T>): T | Nothing =>
        value === undefined || value === null ? value : castOther(run, value, options);
      return test(run, cast(textOfDate(first), castLeft), cast(textOfDate(second), castRight(name)), options);
    },
  };
}

function castBesideList(operation: string): Cast<Value> {
  if (operation.startsWith('length')) return castNumber;
  return operation === 'contains' || operation === 'notContains' ? castNothing : castList;
}

/**
 * Conditions on values whose types are not known. Without the option `loose` a value of another type fails; null and
 * missing values are of every type.
 */
export const checks: readonly GlobalFunction[] = [
  ofType('string', 'Compares texts (see Checks).', TEXTS, castText, () => castText),
  ofType('number', 'Compares numbers.', NUMBERS, castNumber, () => castNumber),
  ofType('boolean', 'Compares booleans.', BOOLEANS, castBoolean, () => castBoolean),
  ofType('dateTime', 'Compares dates.', DATES, castDate, () => castDate),
  ofType('array', 'Whether an array has an element or a length.', LISTS, castList, castBesideList),
  ofType('object', 'Whether an object has members.', OBJECTS, castObject, () => castObject),
  ofType('any', 'Whether there is a value.', VALUES, castNothing, () => castNothing),
];
