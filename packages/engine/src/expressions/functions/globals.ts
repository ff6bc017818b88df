import { conversions } from './conversions.js';
import { encodings } from './encodings.js';
import { jsonFunctions } from './json-functions.js';
import { mathFunctions } from './math.js';
import { objectFunctions } from './object-functions.js';
import { byName, type GlobalFunction } from './definition.js';

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
