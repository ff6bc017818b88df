import { fail } from './failure.js';
import { isList, isRecord, type Value } from './value.js';

/** Whether `key` leads from data to the machinery of JavaScript; such a key is never read and never written. */
export function isForbiddenKey(key: string): boolean {
  return key === '__proto__' || key === 'constructor' || key === 'prototype';
}

/** Returns `key`; throws when it is forbidden. For keys that are known only while the expression runs. */
export function checkedKey(key: string): string {
  return isForbiddenKey(key) ? fail(`the property "${key}" cannot be used`) : key;
}

function hasOwnKey(target: object, key: string): target is Readonly<Record<string, Value>> {
  return Object.hasOwn(target, key);
}

/**
 * The own property `key` of `target`, or `undefined`. Prototypes are never read, so a method is not a property.
 * The caller has made sure that `key` is not forbidden and that `target` is neither null nor undefined.
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

/** The element at `index` of an array or a string; any other target is asked for the property of that name. */
export function readIndex(target: Value, index: number): Value {
  if (!isList(target) && typeof target !== 'string') return readProperty(target, String(index));
  // An index beyond the end would be looked for on the prototype.
  return index >= 0 && index < target.length ? target[index] : undefined;
}

/**
 * The keys that an expression may list or copy: the own ones, without `__proto__`. `constructor` and `prototype` may be
 * data ("constructor": "Ferrari"); they are copied with the value, though never read by name.
 */
export function ownKeys(value: Value): readonly string[] {
  if (typeof value === 'string' || isList(value)) return Array.from({ length: value.length }, (_, i) => String(i));
  if (!isRecord(value)) return [];
  const keys = Object.keys(value);
  return keys.includes('__proto__') ? keys.filter((key) => key !== '__proto__') : keys;
}
