import { conversions } from './conversions.ts';
import { encodings } from './encodings.ts';
import { jsonFunctions } from './json-functions.ts';
import { mathFunctions } from './math.ts';
import { objectFunctions } from './object-functions.ts';
import { byName, type GlobalFunction } from './definition.ts';

/** Global functions by name: `Number`, `Math.round`. */
export const globalFunctions: ReadonlyMap<string, GlobalFunction> = byName([
  ...conversions,
  ...mathFunctions,
  ...objectFunctions,
  ...jsonFunctions,
  ...encodings,
]);

/** Namespaces of global functions: `Math`, `Object`. */
export const namespaces: ReadonlySet<string> = new Set(
  Array.from(globalFunctions.keys(), (name) => name.split('.')).flatMap(([first, second]) =>
    first !== undefined && second !== undefined ? [first] : [],
  ),
);
