import type { Value, ValueRecord } from '../value.ts';
import { converters } from './casts.ts';
import { checks } from './checks.ts';
import { conversions } from './conversions.ts';
import { dateMethods } from './date-methods.ts';
import { byName, type GlobalFunction, type Method, type MethodTable, nameOf } from './definition.ts';
import { encodings } from './encodings.ts';
import { jsonFunctions } from './json-functions.ts';
import { listCallbacks } from './list-callbacks.ts';
import { listMethods } from './list-methods.ts';
import { mathFunctions } from './math.ts';
import { booleanMethods, numberMethods } from './number-methods.ts';
import { objectFunctions, objectMethods } from './object-functions.ts';
import { patternMethods, patternTest } from './pattern-methods.ts';
import { textMethods } from './text-methods.ts';

/** The methods of each type. No others can be called. */
export interface MethodTables {
  readonly string: MethodTable<string>;
  readonly number: MethodTable<number>;
  readonly boolean: MethodTable<boolean>;
  readonly array: MethodTable<readonly Value[]>;
  readonly object: MethodTable<ValueRecord>;
  readonly date: MethodTable<Date>;
}

const ofStrings: readonly Method<string>[] = [...textMethods, ...patternMethods];
const ofLists: readonly Method<readonly Value[]>[] = [...listMethods, ...listCallbacks];

/** All methods, by the type of their value and by name. */
export const methods: MethodTables = {
  string: byName(ofStrings),
  number: byName(numberMethods),
  boolean: byName(booleanMethods),
  array: byName(ofLists),
  object: byName(objectMethods),
  date: byName(dateMethods),
};

/** Global functions by name: `Number`, `Math.round`. */
export const globalFunctions: ReadonlyMap<string, GlobalFunction> = byName([
  ...conversions,
  ...mathFunctions,
  ...objectFunctions,
  ...jsonFunctions,
  ...encodings,
  ...converters,
  ...checks,
]);

/** Namespaces of global functions: `Math`, `Object`, `check`. */
export const namespaces: ReadonlySet<string> = new Set(
  Array.from(globalFunctions.keys(), (name) => name.split('.')).flatMap(([first, second]) =>
    first !== undefined && second !== undefined ? [first] : [],
  ),
);

/** One entry of the catalogue of functions, for documentation and completion. */
export interface ExpressionFunction {
  readonly name: string;
  /** The type that has the method, `regexp` for a regular expression, or `global`. */
  readonly type: 'global' | 'string' | 'number' | 'boolean' | 'array' | 'object' | 'date' | 'regexp';
  /** Signature in TypeScript's notation. */
  readonly signature: string;
  /** Description in one line. */
  readonly doc: string;
}

type Entries = Iterable<{ readonly signature: string; readonly doc: string }>;

function describe(type: ExpressionFunction['type'], definitions: Entries): readonly ExpressionFunction[] {
  return Array.from(definitions, (definition) => {
    const { signature, doc } = definition;
    return Object.freeze({ name: nameOf(definition), type, signature, doc });
  });
}

/** All functions and methods of the expression language, derived from their definitions. */
export const expressionFunctions: readonly ExpressionFunction[] = Object.freeze([
  ...describe('string', methods.string.values()),
  ...describe('regexp', [patternTest]),
  ...describe('number', methods.number.values()),
  ...describe('boolean', methods.boolean.values()),
  ...describe('array', methods.array.values()),
  ...describe('object', methods.object.values()),
  ...describe('date', methods.date.values()),
  ...describe('global', globalFunctions.values()),
]);
