import { toText } from '../convert.js';
import { isForbiddenKey } from '../property.js';
import { plain, type PlainMethod } from './definition.js';
import type { ValueRecord } from '../value.js';

/**
 * Methods of objects. There are few, because their names are easily mistaken for data; `Object.keys` and the like do
 * most of the work.
 */
export const objectMethods: readonly PlainMethod<ValueRecord>[] = [
  plain('hasOwnProperty(key: string): boolean', 'Whether it has that property.', (run, record, args) => {
    const name = toText(run, args[0]);
    return !isForbiddenKey(name) && Object.hasOwn(record, name);
  }),
];
