import type { JsonValue } from '@deckhand/contracts';
import { defineNodeType, output } from '@deckhand/engine';
import Type from 'typebox';
import { isDeepStrictEqual } from 'node:util';
import { FieldParameter, fieldOf, ItemsParameter, itemsOf } from '../items/items.js';

type Test = (found: JsonValue | undefined, value: JsonValue | undefined) => boolean;

/** Numbers are compared with numbers and texts with texts; anything else is neither less nor greater. */
const ordered =
  (test: (order: number) => boolean): Test =>
  (found, value) => {
    if (typeof found === 'number' && typeof value === 'number') return test(found - value);
    if (typeof found === 'string' && typeof value === 'string') return test(found < value ? -1 : Number(found > value));
    return false;
  };

const TESTS = {
  equals: (found, value) => isDeepStrictEqual(found, value),
  notEquals: (found, value) => !isDeepStrictEqual(found, value),
  greater: ordered((order) => order > 0),
  greaterOrEqual: ordered((order) => order >= 0),
  less: ordered((order) => order < 0),
  lessOrEqual: ordered((order) => order <= 0),
  contains: (found, value) => contains(found, value),
  notContains: (found, value) => !contains(found, value),
  startsWith: (found, value) => typeof found === 'string' && typeof value === 'string' && found.startsWith(value),
  endsWith: (found, value) => typeof found === 'string' && typeof value === 'string' && found.endsWith(value),
  in: (found, value) => Array.isArray(value) && value.some((one) => isDeepStrictEqual(one, found)),
  exists: (found) => found !== undefined && found !== null,
  missing: (found) => found === undefined || found === null,
  empty: (found) => isEmpty(found),
  notEmpty: (found) => !isEmpty(found),
} satisfies Record<string, Test>;

const OPERATORS = Object.keys(TESTS).filter((name): name is keyof typeof TESTS => name in TESTS);

export default defineNodeType({
  type: 'filter',
  title: 'Filter a list',
  description:
    'Answers the items of a list that fulfil its conditions, in their order. Values are compared by value and type: 1 is not "1".',
  category: 'data',
  hasEffects: false,
  parameters: Type.Object(
    {
      items: ItemsParameter,
      conditions: Type.Array(
        Type.Object(
          {
            field: Type.Optional(FieldParameter('What is looked at, the item itself without it')),
            operator: Type.Enum(OPERATORS, { description: 'How it is looked at' }),
            value: Type.Optional(Type.Unsafe<JsonValue>({ description: 'What it is compared with; for `in`, a list' })),
          },
          { additionalProperties: false },
        ),
        { minItems: 1, maxItems: 100, description: 'What an item has to fulfil' },
      ),
      match: Type.Optional(
        Type.Enum(['all', 'any'], { default: 'all', description: 'Whether all conditions have to hold, or any' }),
      ),
    },
    { additionalProperties: false },
  ),
  run({ items, conditions, match = 'all' }, { input }) {
    const holds = (item: JsonValue) => (condition: (typeof conditions)[number]) =>
      TESTS[condition.operator](fieldOf(item, condition.field), condition.value);
    const list = itemsOf(items, input);
    return output(
      list.filter((item) => (match === 'all' ? conditions.every(holds(item)) : conditions.some(holds(item)))),
    );
  },
});

function contains(found: JsonValue | undefined, value: JsonValue | undefined): boolean {
  if (typeof found === 'string') return typeof value === 'string' && found.includes(value);
  return Array.isArray(found) && found.some((one) => isDeepStrictEqual(one, value));
}

function isEmpty(found: JsonValue | undefined): boolean {
  if (found === undefined || found === null || found === '') return true;
  return typeof found === 'object' && Object.keys(found).length === 0;
}
