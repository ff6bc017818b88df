import { nameOf } from './definition.js';
import { globalFunctions } from './globals.js';
import { methods } from './methods.js';
import { patternTest } from './pattern-test.js';

/** One entry of the catalogue of functions: what a page of documentation or a completion list shows. */
export interface ExpressionFunction {
  readonly name: string;
  /** The type of value that it is a method of, `regexp` for a regular expression, or `global`. */
  readonly type: 'global' | 'string' | 'number' | 'boolean' | 'array' | 'object' | 'date' | 'regexp';
  /** How it is called, in TypeScript's notation. */
  readonly signature: string;
  /** What it does, in one line. */
  readonly doc: string;
}

type Entries = Iterable<{ readonly signature: string; readonly doc: string }>;

function describe(type: ExpressionFunction['type'], definitions: Entries): readonly ExpressionFunction[] {
  return Array.from(definitions, (definition) => {
    const { signature, doc } = definition;
    return Object.freeze({ name: nameOf(definition), type, signature, doc });
  });
}

/** Every function and method of the expression language, made from the definitions that run. */
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
