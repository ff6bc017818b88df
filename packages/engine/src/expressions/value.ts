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
export function isRecord(value: Value): value is ValueRecord {
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
