import { listCallbacks } from './list-callbacks.ts';
import { listMethods } from './list-methods.ts';
import { booleanMethods, numberMethods } from './number-methods.ts';
import { dateMethods } from './date-methods.ts';
import { patternMethods } from './pattern-methods.ts';
import { textMethods } from './text-methods.ts';
import { byName, type Method, type MethodTable } from './definition.ts';
import { objectMethods } from './object-methods.ts';
import type { Value, ValueRecord } from '../value.ts';

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
