import { parseIsoDate } from '../date.ts';
import { fail } from '../error.ts';
import { toNumber, toText } from '../operators.ts';
import { compilePattern, isPatternIssue, testPattern } from '../pattern.ts';
import { type Run, spendScan, spendSteps, spendText } from '../run.ts';
import { isContainer, isList, kindOf, ownKeys, type Value } from '../value.ts';
import type { GlobalFunction } from './definition.ts';
import { parseJson, writeJson } from './json-functions.ts';
import { includes } from './list-methods.ts';
import { endsWithText, includesText, startsWithText } from './text-methods.ts';

/** The options of a check, as its last arguments. */
const OPTIONS = ['loose', 'ignoreCase', 'emptyIsNull', 'truthy'] as const;

type Options = ReadonlySet<(typeof OPTIONS)[number]>;
type Nothing = null | undefined;
type Cast<T> = (run: Run, value: NonNullable<Value>, options: Options) => T | null;
type Test<L, R> = (run: Run, left: L | Nothing, right: R | Nothing, options: Options) => boolean;
type Tests<L, R = L> = Readonly<Record<string, Test<L, R>>>;

function optionsOf(args: readonly Value[]): Options {
  const options = args.map((arg) => OPTIONS.find((each) => each === arg));
  const known = options.filter((each) => each !== undefined);
  if (known.length < options.length) return fail(`the options of a check are ${OPTIONS.join(', ')}`);
  return new Set(known);
}

function wrongType(value: Value, expected: string): never {
  return fail(`the check needs ${expected}, not ${kindOf(value)}`);
}

const castText: Cast<string> = (run, value, options) => {
  if (typeof value === 'string') return value;
  if (!options.has('loose')) return wrongType(value, 'text');
  return isContainer(value) ? writeJson(run, value, 0) : toText(run, value);
};

const castNumber: Cast<number> = (run, value, options) => {
  if (typeof value === 'number') return value;
  if (options.has('emptyIsNull') && isEmpty(value)) return null;
  if (!options.has('loose')) return wrongType(value, 'a number');
  const number = toNumber(run, value);
  return Number.isNaN(number) ? fail(`the check cannot convert a value of type ${kindOf(value)} to a number`) : number;
};

function isEmpty(value: Value): boolean {
  return (
    (typeof value === 'string' && value.trim() === '') || (value !== undefined && isList(value) && value.length === 0)
  );
}

const castBoolean: Cast<boolean> = (run, value, options) => {
  if (typeof value === 'boolean') return value;
  if (!options.has('loose')) return wrongType(value, 'a boolean');
  if (options.has('truthy')) return Boolean(value);
  const text = typeof value === 'string' && value.length < 6 ? value.toLowerCase() : '';
  if (text === 'true' || text === 'false') return text === 'true';
  if (typeof value === 'string' && value.trim() === '') return Boolean(value);
  const number = toNumber(run, value);
  return number === 0 || number === 1 ? number === 1 : Boolean(value);
};

const castDate: Cast<Date> = (run, value) => {
  const milliseconds = parseIsoDate(toText(run, value).trim());
  return Number.isNaN(milliseconds)
    ? fail('the check needs a date such as 2026-11-20T08:15:00Z')
    : new Date(milliseconds);
};

const castList: Cast<readonly Value[]> = (run, value, options) => {
  if (isList(value)) return value;
  if (!options.has('loose')) return wrongType(value, 'an array');
  const text = toText(run, value);
  spendText(run, text.length);
  const parsed = parseJson(run, text) ?? parseJson(run, text.replaceAll("'", '"'));
  return parsed !== undefined && isList(parsed) ? parsed : fail('the check needs an array, or JSON text of one');
};

const castObject: Cast<Value> = (run, value, options) => {
  if (isContainer(value) && !isList(value)) return value;
  if (!options.has('loose') && !isContainer(value)) return wrongType(value, 'an object');
  const parsed = parseJson(run, toText(run, value));
  const isObject = parsed === null || (isContainer(parsed) && !isList(parsed));
  return isObject ? parsed : fail('the check needs an object, or JSON text of one');
};

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

function folded(run: Run, text: string, options: Options): string {
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

/** Dates are text, as they are in data. */
const textOfDate = (value: Value): Value => (value instanceof Date ? value.toISOString() : value);

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
