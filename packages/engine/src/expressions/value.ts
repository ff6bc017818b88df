import { fail } from './error.ts';

/**
 * A value during evaluation: plain JSON, `undefined` for missing values, and dates. Functions and regular expressions
 * are not values: they are allowed only as arguments, so nothing callable can reach a result.
 */
export type Value = undefined | null | boolean | number | string | Date | readonly Value[] | ValueRecord;

/** A plain object during evaluation. */
export interface ValueRecord {
  readonly [key: string]: Value;
}

/** The types that have methods, and two that have none. */
export type ValueKind = 'undefined' | 'null' | 'boolean' | 'number' | 'string' | 'date' | 'array' | 'object';

/** Returns whether `value` is an array (`Array.isArray` alone would narrow to `any[]`). */
export function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

/** Returns whether `value` is a plain object: neither null nor an array nor a date. */
function isRecord(value: Value): value is ValueRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** Returns whether `value` is an array, an object or a date. All other values are primitives. */
export function isContainer(value: Value): value is Date | readonly Value[] | ValueRecord {
  return typeof value === 'object' && value !== null;
}

/** Returns the type of `value`, for selecting its methods and for messages. */
export function kindOf(value: Value): ValueKind {
  if (value === undefined) return 'undefined';
  if (value === null) return 'null';
  if (isList(value)) return 'array';
  if (value instanceof Date) return 'date';
  if (typeof value === 'string') return 'string';
  if (typeof value === 'number') return 'number';
  return typeof value === 'boolean' ? 'boolean' : 'object';
}

/** Returns whether `key` leads from data to JavaScript's internals. Such a key is never read and never written. */
export function isForbiddenKey(key: string): boolean {
  return key === '__proto__' || key === 'constructor' || key === 'prototype';
}

/** Returns `key`, for keys that are known only during evaluation. @throws EvaluationFailure if it is forbidden. */
export function checkedKey(key: string): string {
  return isForbiddenKey(key) ? fail(`the property "${key}" cannot be used`) : key;
}

function hasOwnKey(target: object, key: string): target is Readonly<Record<string, Value>> {
  return Object.hasOwn(target, key);
}

/**
 * Returns the own property `key` of `target`, or `undefined`. Prototypes are never read, so methods are not properties.
 * The caller has checked that `key` is not forbidden and that `target` is neither null nor undefined.
 */
export function readProperty(target: Value, key: string): Value {
  if (typeof target === 'object' && target !== null) {
    return hasOwnKey(target, key) ? target[key] : undefined;
  }
  if (typeof target !== 'string') return undefined;
  if (key === 'length') return target.length;
  const index = Number(key);
  return String(index) === key ? target[index] : undefined;
}

/** Returns the element at `index` of an array or a string, or the property of that name of any other value. */
export function readIndex(target: Value, index: number): Value {
  if (!isList(target) && typeof target !== 'string') return readProperty(target, String(index));
  // A missing index would be looked up on the prototype.
  return index >= 0 && index < target.length ? target[index] : undefined;
}

/**
 * Returns the keys that an expression may list or copy: own keys, without `__proto__`. `constructor` and `prototype`
 * may be data ("constructor": "Ferrari"): they are copied, but never read by name.
 */
export function ownKeys(value: Value): readonly string[] {
  if (typeof value === 'string' || isList(value)) return Array.from({ length: value.length }, (_, i) => String(i));
  if (!isRecord(value)) return [];
  const keys = Object.keys(value);
  return keys.includes('__proto__') ? keys.filter((key) => key !== '__proto__') : keys;
}
