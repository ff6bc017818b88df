import { createHash } from 'node:crypto';
import { stringify } from 'yaml';
import { TemplateError } from './syntax.ts';

/** A function of templates. Whole numbers that were computed are bigint; those of values are what JSON has. */
type TemplateFunction = (...args: readonly unknown[]) => unknown;

/** Functions of Go's templates, of Sprig and of Helm, as far as charts here use them. */
export const FUNCTIONS: Readonly<Record<string, TemplateFunction>> = {
  add: (...args) => args.map(whole).reduce((sum, value) => sum + value, 0n),
  and: (...args) => args.find((value) => !isTrue(value)) ?? args.at(-1),
  default: (fallback, value) => (isTrue(value) ? value : fallback),
  eq: (left, right) => left === right,
  fail: (message) => {
    throw new TemplateError(print(message));
  },
  get: (map, key) => (isMap(map) ? (map[print(key)] ?? '') : ''),
  has: (wanted, list) => Array.isArray(list) && list.includes(wanted),
  hasKey: (map, key) => isMap(map) && print(key) in map,
  index: (of, key) => {
    const member: unknown = Array.isArray(of) ? of[Number(key)] : isMap(of) ? of[print(key)] : undefined;
    if (member === undefined) throw new TemplateError(`index: there is no ${print(key)}`);
    return member;
  },
  int: (value) => BigInt(Math.trunc(Number(value))),
  list: (...args) => args,
  mul: (...args) => args.map(whole).reduce((product, value) => product * value, 1n),
  ne: (left, right) => left !== right,
  nindent: (spaces, text) => `\n${print(text).replace(/^/gm, ' '.repeat(Number(spaces)))}`,
  not: (value) => !isTrue(value),
  or: (...args) => args.find(isTrue) ?? args.at(-1),
  printf: (format, ...args) => {
    let next = 0;
    return print(format).replace(/%s/g, () => print(args[next++]));
  },
  quote: (value) => JSON.stringify(print(value)),
  required: (message, value) => {
    if (value === undefined || value === null || value === '') throw new TemplateError(print(message));
    return value;
  },
  sha256sum: (text) => createHash('sha256').update(print(text)).digest('hex'),
  toYaml: (value) => stringify(value).trimEnd(),
  trimSuffix: (suffix, text) => {
    const [end, whole] = [print(suffix), print(text)];
    return whole.endsWith(end) ? whole.slice(0, whole.length - end.length) : whole;
  },
  trunc: (length, text) => print(text).slice(0, Number(length)),
};

/** Returns true if a value counts as true: empty values do not. */
export function isTrue(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (isMap(value)) return Object.keys(value).length > 0;
  return Boolean(value);
}

/**
 * A value as it is printed.
 * @throws TemplateError for one that is missing, no text, or a number that Go would print with an exponent.
 */
export function print(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (typeof value === 'number' && Math.abs(value) < 1e6) return String(value);
  throw new TemplateError(`cannot be printed as it is: ${value === undefined ? 'nothing' : JSON.stringify(value)}`);
}

export function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function whole(value: unknown): bigint {
  if (typeof value === 'bigint') return value;
  throw new TemplateError(`not a whole number: ${print(value)}`);
}
