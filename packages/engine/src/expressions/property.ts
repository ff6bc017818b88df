import { fail } from './error.ts';
import { isList, isRecord, type Value } from './value.ts';

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
