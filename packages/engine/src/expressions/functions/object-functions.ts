import { toText } from '../operators.ts';
import { fail } from '../error.ts';
import { containerBytes, elementBytes, memberBytes } from '../limits.ts';
import {
  checkedKey,
  isForbiddenKey,
  ownKeys,
  readProperty,
  isContainer,
  isList,
  type Value,
  type ValueRecord,
} from '../value.ts';
import { type Run, spendBytes, spendSteps } from '../run.ts';
import { listArgument } from './arguments.ts';
import { type GlobalFunction, plain, type PlainMethod } from './definition.ts';

function list(
  run: Run,
  args: readonly Value[],
  name: string,
  make: (key: string, value: Value) => Value,
  bytes: number,
): Value {
  const target = args[0];
  if (target === null || target === undefined) return fail(`${name} needs an object, not ${String(target)}`);
  // Checked before the keys are listed: listing those of a text or an array would be work already.
  if (typeof target === 'string' || isList(target)) chargeKeys(run, target.length, bytes);
  const keys = ownKeys(target);
  chargeKeys(run, keys.length, bytes);
  return keys.map((key) => make(key, readProperty(target, key)));
}

function chargeKeys(run: Run, count: number, bytes: number): void {
  spendSteps(run, count);
  spendBytes(run, containerBytes + count * bytes);
}

function fromEntries(run: Run, args: readonly Value[]): Value {
  const entries = listArgument(args, 0, 'Object.fromEntries');
  chargeKeys(run, entries.length, memberBytes);
  const made: Record<string, Value> = {};
  for (const entry of entries) {
    if (!isList(entry)) return fail('Object.fromEntries needs an array of [key, value]');
    made[checkedKey(toText(run, entry[0]))] = entry[1];
  }
  return made;
}

function hasOwn(run: Run, args: readonly Value[]): boolean {
  const [target, key] = args;
  const name = toText(run, key);
  return isContainer(target) && !isForbiddenKey(name) && Object.hasOwn(target, name);
}

/** The functions of `Object` that read. Those that change or reveal prototypes are missing. */
export const objectFunctions: readonly GlobalFunction[] = [
  {
    signature: 'Object.keys(object: object): string[]',
    doc: 'The names of its properties.',
    apply: (run, args) => list(run, args, 'Object.keys', (key) => key, elementBytes),
  },
  {
    signature: 'Object.values(object: object): any[]',
    doc: 'The values of its properties.',
    apply: (run, args) => list(run, args, 'Object.values', (_key, value) => value, elementBytes),
  },
  {
    signature: 'Object.entries(object: object): [string, any][]',
    doc: 'Its properties as [name, value].',
    apply: (run, args) =>
      list(run, args, 'Object.entries', (key, value) => [key, value], containerBytes + 3 * elementBytes),
  },
  {
    signature: 'Object.fromEntries(entries: [string, any][]): object',
    doc: 'The object with those properties.',
    apply: fromEntries,
  },
  {
    signature: 'Object.hasOwn(object: object, key: string): boolean',
    doc: 'Whether it has that property, as key in object.',
    apply: hasOwn,
  },
];

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
