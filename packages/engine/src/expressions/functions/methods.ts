import { listCallbacks } from './list-callbacks.js';
import { listMethods } from './list-methods.js';
import { booleanMethods, numberMethods } from './number-methods.js';
import { dateMethods } from './date-methods.js';
import { patternMethods } from './pattern-methods.js';
import { textMethods } from './text-methods.js';
import { byName, type Method, type MethodTable } from './definition.js';
import { objectMethods } from './object-methods.js';
import type { Value, ValueRecord } from '../value.js';

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
