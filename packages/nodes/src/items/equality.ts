import { isJsonObject, type JsonValue } from '@deckhand/contracts';
import type { Work } from '../work/slices.ts';

/** Returns true if two values are equal as JSON, in any order of members. Charges the work of comparing. */
export function isSameJson(a: JsonValue | undefined, b: JsonValue | undefined, work: Work): boolean {
  work.spend(1);
  if (a === b) return true;
  if (typeof a === 'string' && typeof b === 'string' && a.length === b.length) work.spend(a.length / 16);
  if (isList(a) && isList(b)) {
    return a.length === b.length && a.every((element, index) => isSameJson(element, b[index], work));
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && isSameJson(a[name], b[name], work))
  );
}

/** A set of JSON values, compared by `isSameJson`. */
export interface JsonSet {
  add(value: JsonValue): void;
  has(value: JsonValue): boolean;
}

/** Creates an empty set. It charges the work of serialising lists and objects. */
export function createJsonSet(work: Work): JsonSet {
  const plain = new Set<JsonValue>();
  const texts = new Set<string>();
  const textOf = (value: JsonValue): string => {
    const text = JSON.stringify(value, withSortedNames);
    work.spend(text.length);
    return text;
  };
  return {
    add(value) {
      if (typeof value === 'object' && value !== null) texts.add(textOf(value));
      else plain.add(value);
    },
    has(value) {
      if (typeof value !== 'object' || value === null) return plain.has(value);
      return texts.size > 0 && texts.has(textOf(value));
    },
  };
}

function withSortedNames(_name: string, value: JsonValue): JsonValue {
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}
