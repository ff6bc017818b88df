import { parseIsoDate } from '../date.ts';
import { fail } from '../error.ts';
import { toNumber, toText } from '../operators.ts';
import { type Run, spendText } from '../run.ts';
import { isContainer, isList, kindOf, type Value } from '../value.ts';
import type { GlobalFunction } from './definition.ts';
import { parseJson, writeJson } from './json-functions.ts';

/** The options of a check, as its last arguments. */
export const CHECK_OPTIONS = ['loose', 'ignoreCase', 'emptyIsNull', 'truthy'] as const;

/** The options that a check was given. */
export type CheckOptions = ReadonlySet<(typeof CHECK_OPTIONS)[number]>;

/** Returns a value as one of a type. @throws EvaluationFailure if it is not of the type, and cannot be converted. */
export type Cast<T> = (run: Run, value: NonNullable<Value>, options: CheckOptions) => T | null;

function wrongType(value: Value, expected: string): never {
  return fail(`expected ${expected}, not ${kindOf(value)}`);
}

export const castText: Cast<string> = (run, value, options) => {
  if (typeof value === 'string') return value;
  if (!options.has('loose')) return wrongType(value, 'text');
  return isContainer(value) ? writeJson(run, value, 0) : toText(run, value);
};

export const castNumber: Cast<number> = (run, value, options) => {
  if (typeof value === 'number') return value;
  if (options.has('emptyIsNull') && isEmpty(value)) return null;
  if (!options.has('loose')) return wrongType(value, 'a number');
  const number = toNumber(run, value);
  return Number.isNaN(number) ? fail(`expected a number, not a value of type ${kindOf(value)}`) : number;
};

function isEmpty(value: Value): boolean {
  return (
    (typeof value === 'string' && value.trim() === '') || (value !== undefined && isList(value) && value.length === 0)
  );
}

export const castBoolean: Cast<boolean> = (run, value, options) => {
  if (typeof value === 'boolean') return value;
  if (!options.has('loose')) return wrongType(value, 'a boolean');
  if (options.has('truthy')) return Boolean(value);
  return parseBoolean(run, value) ?? Boolean(value);
};

/** Returns the boolean that a value stands for, or undefined. */
function parseBoolean(run: Run, value: Value): boolean | undefined {
  if (typeof value === 'boolean') return value;
  const text = typeof value === 'string' && value.length < 6 ? value.toLowerCase() : '';
  if (text === 'true' || text === 'false') return text === 'true';
  if (typeof value === 'string' && value.trim() === '') return undefined;
  const number = toNumber(run, value);
  return number === 0 || number === 1 ? number === 1 : undefined;
}

export const castDate: Cast<Date> = (run, value) => {
  const milliseconds = parseIsoDate(toText(run, value).trim());
  return Number.isNaN(milliseconds) ? fail('expected a date such as 2026-11-20T08:15:00Z') : new Date(milliseconds);
};

export const castList: Cast<readonly Value[]> = (run, value, options) => {
  if (isList(value)) return value;
  if (!options.has('loose')) return wrongType(value, 'an array');
  const text = toText(run, value);
  spendText(run, text.length);
  const parsed = parseJson(run, text) ?? parseJson(run, text.replaceAll("'", '"'));
  return parsed !== undefined && isList(parsed) ? parsed : fail('expected an array, or JSON text of one');
};

export const castObject: Cast<Value> = (run, value, options) => {
  if (isContainer(value) && !isList(value)) return value;
  if (!options.has('loose') && !isContainer(value)) return wrongType(value, 'an object');
  const parsed = parseJson(run, toText(run, value));
  const isObject = parsed === null || (isContainer(parsed) && !isList(parsed));
  return isObject ? parsed : fail('expected an object, or JSON text of one');
};

/** Dates are text in data. */
export const textOfDate = (value: Value): Value => (value instanceof Date ? value.toISOString() : value);

const LOOSE: CheckOptions = new Set(['loose']);

function toType(signature: string, doc: string, cast: Cast<Value>): GlobalFunction {
  return {
    signature: `convert.${signature}`,
    doc: `${doc} Fails if it cannot be one; null stays null.`,
    apply(run, args) {
      const value = textOfDate(args[0]);
      return value === undefined || value === null ? null : cast(run, value, LOOSE);
    },
  };
}

/** Functions that convert values to a type, or fail. */
export const converters: readonly GlobalFunction[] = [
  {
    signature: 'convert.string(value: any): string',
    doc: 'As text: arrays and objects as JSON. Null stays null.',
    apply: toType('', '', castText).apply,
  },
  toType('number(value: any): number', 'As a number.', castNumber),
  toType(
    'boolean(value: any): boolean',
    'As a boolean: true, false, 1, 0 and their texts.',
    (run, value) => parseBoolean(run, value) ?? fail('expected a boolean, 1 or 0'),
  ),
  toType('array(value: any): any[]', 'As an array, or that of JSON text.', castList),
  toType('object(value: any): object', 'As an object, or that of JSON text.', castObject),
];
