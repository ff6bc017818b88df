import type { JsonValue } from '@deckhand/contracts';
import { defineNodeType, output } from '@deckhand/engine';
import Type from 'typebox';
import { FieldParameter, fieldOf, ItemsParameter, itemsOf } from '../items/items.js';

type Summary = (values: readonly JsonValue[]) => JsonValue;

const SUMMARIES = {
  count: (values) => values.length,
  sum: (values) => sum(numbers(values)),
  average: (values) => (numbers(values).length === 0 ? null : sum(numbers(values)) / numbers(values).length),
  min: (values) => least(values, (a, b) => a < b),
  max: (values) => least(values, (a, b) => a > b),
  first: (values) => values[0] ?? null,
  last: (values) => values.at(-1) ?? null,
  list: (values) => [...values],
  distinct: (values) => [...new Map(values.map((value) => [JSON.stringify(value), value])).values()],
} satisfies Record<string, Summary>;

const OPERATIONS = Object.keys(SUMMARIES).filter((name): name is keyof typeof SUMMARIES => name in SUMMARIES);

export default defineNodeType({
  type: 'aggregate',
  title: 'Aggregate a list',
  description:
    'Counts, adds up or gathers the items of a list. Answers an object; with `groupBy`, a list of one object a group, in the order in which the groups first appear. Items without a field do not count for it, and sums and averages look at numbers only.',
  category: 'data',
  hasEffects: false,
  parameters: Type.Object(
    {
      items: ItemsParameter,
      groupBy: Type.Optional(
        Type.Array(FieldParameter('What is alike within a group'), {
          minItems: 1,
          maxItems: 10,
          description: 'Fields whose values make a group; they are part of what it answers',
        }),
      ),
      operations: Type.Array(
        Type.Object(
          {
            operation: Type.Enum(OPERATIONS, { description: 'What is made of the values' }),
            field: Type.Optional(FieldParameter('Where the values are, the item itself without it')),
            as: Type.String({ minLength: 1, maxLength: 200, description: 'The name of the result' }),
          },
          { additionalProperties: false },
        ),
        { minItems: 1, maxItems: 50, description: 'What is answered' },
      ),
    },
    { additionalProperties: false },
  ),
  run({ items, groupBy, operations }, { input }) {
    const summarise = (list: readonly JsonValue[]): [string, JsonValue][] =>
      operations.map(({ operation, field, as }) => [as, SUMMARIES[operation](valuesOf(list, field))]);
    const list = itemsOf(items, input);
    if (!groupBy) return output(Object.fromEntries(summarise(list)));
    return output(
      group(list, groupBy).map(({ keys, members }) =>
        Object.fromEntries([
          ...groupBy.map((field, index): [string, JsonValue] => [field, keys[index] ?? null]),
          ...summarise(members),
        ]),
      ),
    );
  },
});

function group(list: readonly JsonValue[], fields: readonly string[]) {
  const groups = new Map<string, { keys: JsonValue[]; members: JsonValue[] }>();
  for (const item of list) {
    const keys = fields.map((field) => fieldOf(item, field) ?? null);
    const id = JSON.stringify(keys);
    const known = groups.get(id);
    if (known) known.members.push(item);
    else groups.set(id, { keys, members: [item] });
  }
  return [...groups.values()];
}

function valuesOf(list: readonly JsonValue[], field: string | undefined): JsonValue[] {
  return list.flatMap((item) => {
    const value = fieldOf(item, field);
    return value === undefined || value === null ? [] : [value];
  });
}

function numbers(values: readonly JsonValue[]): number[] {
  return values.filter((value) => typeof value === 'number');
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** The first of all numbers, or of all texts where there are no numbers; null when there are neither. */
function least(values: readonly JsonValue[], isBefore: (a: number | string, b: number | string) => boolean): JsonValue {
  const all = numbers(values);
  const candidates = all.length > 0 ? all : values.filter((value) => typeof value === 'string');
  const [first] = candidates;
  if (first === undefined) return null;
  let best: number | string = first;
  for (const value of candidates) if (isBefore(value, best)) best = value;
  return best;
}
