import { nameOf } from './definition.ts';
import { globalFunctions } from './globals.ts';
import { methods } from './methods.ts';
import { patternTest } from './pattern-test.ts';

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
