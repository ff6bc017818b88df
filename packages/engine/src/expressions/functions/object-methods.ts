import { toText } from '../convert.ts';
import { isForbiddenKey } from '../property.ts';
import { plain, type PlainMethod } from './definition.ts';
import type { ValueRecord } from '../value.ts';

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
