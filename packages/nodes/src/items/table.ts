import { isJsonObject, type JsonValue } from '@deckhand/contracts';
import { checkResultLength } from '../text/limit.ts';
import type { Steps, Work } from '../work/slices.ts';

/** Returns the names of the members of all items, in the order in which they first appear. */
export function* namesOf(list: readonly JsonValue[], work: Work): Steps<string[]> {
  const names: string[] = [];
  const known = new Set<string>();
  for (const item of list) {
    if (!isJsonObject(item)) continue;
    let place = 0;
    // Parsed or created values have no inherited members; listing their names would create garbage.
    for (const name in item) {
      // Most items have the same members as the first one.
      if (names[place] !== name && !known.has(name)) {
        names.push(name);
        known.add(name);
      }
      place += 1;
    }
    if (work.spend(1 + place / 4)) yield;
  }
  // Each row has all of them.
  checkResultLength(names.length * list.length);
  return names;
}

/** Returns the values of a row: those of a list, or of the members of an object; any other value is a row by itself. */
export function valuesOf(item: JsonValue, names: readonly string[]): readonly JsonValue[] {
  if (Array.isArray(item)) {
    // A named type, since the guard loses that of the elements.
    const list: readonly JsonValue[] = item;
    return list;
  }
  if (!isJsonObject(item)) return [item];
  return names.map((name) => (Object.hasOwn(item, name) ? (item[name] ?? null) : null));
}
