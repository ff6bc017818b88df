/**
 * A value while an expression runs: plain JSON, `undefined` for what is missing, and dates. Functions and regular
 * expressions are no values: they stand only where a call takes them, so nothing callable can reach a result.
 */
export type Value = undefined | null | boolean | number | string | Date | readonly Value[] | ValueRecord;

/** A plain object while an expression runs. */
export interface ValueRecord {
  readonly [key: string]: Value;
}

/** The kinds of value that methods belong to, and two that have none. */
export type ValueKind = 'undefined' | 'null' | 'boolean' | 'number' | 'string' | 'date' | 'array' | 'object';

/** Whether `value` is an array (`Array.isArray` alone would narrow to `any[]`). */
export function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

/** Whether `value` is a plain object: neither null nor an array nor a date. */
export function isRecord(value: Value): value is ValueRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** Whether `value` is an array, an object or a date; everything else is a primitive. */
export function isContainer(value: Value): value is Date | readonly Value[] | ValueRecord {
  return typeof value === 'object' && value !== null;
}

/** The kind of `value`, for choosing its methods and for messages. */
export function kindOf(value: Value): ValueKind {
  if (value === undefined) return 'undefined';
  if (value === null) return 'null';
  if (isList(value)) return 'array';
  if (value instanceof Date) return 'date';
  if (typeof value === 'string') return 'string';
  if (typeof value === 'number') return 'number';
  return typeof value === 'boolean' ? 'boolean' : 'object';
}
