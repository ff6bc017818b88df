import type { JsonObject, JsonValue } from '@deckhand/contracts';
import { defineNodeType, NodeError, type Outcome, output } from '@deckhand/engine';
import Type from 'typebox';
import { FieldParameter, fieldReader, ItemsParameter, itemsOf } from '../items/items.ts';
import { checkedResult, checkResultLength } from '../text/limit.ts';
import { runInSlices, type Steps, type Work } from '../work/slices.ts';

type Summary = (values: readonly JsonValue[]) => JsonValue;

const SUMMARIES = {
  count: (values) => values.length,
  sum: (values) => addUp(values).sum,
  average(values) {
    const { sum, count } = addUp(values);
    return count === 0 ? null : sum / count;
  },
  min: (values) => least(values, (a, b) => a < b),
  max: (values) => least(values, (a, b) => a > b),
  first: (values) => values[0] ?? null,
  last: (values) => values.at(-1) ?? null,
  list: (values) => [...values],
  // Its values were made distinct before, in steps.
  distinct: (values) => [...values],
} satisfies Record<string, Summary>;

const OPERATIONS = Object.keys(SUMMARIES).filter((name): name is keyof typeof SUMMARIES => name in SUMMARIES);

export default defineNodeType({
  type: 'aggregate',
  title: 'Aggregate a list',
  description:
    'Counts, sums or collects the items of a list. Returns an object; with `groupBy`, a list with one object per group, in the order in which the groups first appear. Items without a field, or with an empty text in it, do not count for it. For sums and averages, texts that are numbers count as such, as `csv` and `postgres` return them; any other value fails the node. `min` and `max` compare by number if all values are numbers or such texts.',
  keywords: ['sum', 'total', 'count', 'average', 'minimum', 'maximum', 'group by', 'reduce', 'statistics', 'collect'],
  category: 'data',
  icon: 'sigma',
  summary: [{ each: 'operations', text: '{operation?} {field?}' }],
  hasEffects: false,
  parameters: Type.Object(
    {
      items: ItemsParameter,
      groupBy: Type.Optional(
        Type.Array(FieldParameter('What is alike within a group'), {
          minItems: 1,
          maxItems: 10,
          description: 'Fields by whose values items are grouped; the output contains them',
        }),
      ),
      operations: Type.Array(
        Type.Object(
          {
            operation: Type.Enum(OPERATIONS, { description: 'What is computed from the values' }),
            field: Type.Optional(FieldParameter('Where the values are, the item itself without it')),
            as: Type.String({ minLength: 1, maxLength: 200, description: 'The name of the result' }),
          },
          { title: 'Operation', additionalProperties: false },
        ),
        { minItems: 1, maxItems: 50, description: 'The fields of the output' },
      ),
    },
    { additionalProperties: false },
  ),
  form: { inputs: { items: 'expression' } },
  errors: ['NODE_BUDGET', 'NOT_A_NUMBER', 'RESULT_TOO_LARGE'],
  run({ items, groupBy, operations }, { input, signal }) {
    const list = itemsOf(items, input);
    return runInSlices(signal, (work) => aggregate(list, { groupBy, operations, work }));
  },
  example: {
    trigger: {
      orders: [
        { id: 1, country: 'DE', total: 120 },
        { id: 2, country: 'FR', total: 80 },
        { id: 3, country: 'DE', total: 30 },
      ],
    },
    definition: {
      nodes: [
        { id: 'start', type: 'trigger.manual' },
        {
          id: 'aggregate',
          type: 'aggregate',
          parameters: {
            items: '{{ $trigger.orders }}',
            groupBy: ['country'],
            operations: [
              { operation: 'count', as: 'orders' },
              { operation: 'sum', field: 'total', as: 'total' },
            ],
          },
        },
      ],
      edges: [{ source: 'start', target: 'aggregate' }],
    },
    outputs: {
      aggregate: [
        { country: 'DE', orders: 2, total: 150 },
        { country: 'FR', orders: 1, total: 80 },
      ],
    },
  },
});

interface Aggregation {
  readonly groupBy: readonly string[] | undefined;
  readonly operations: readonly { operation: keyof typeof SUMMARIES; field?: string; as: string }[];
  readonly work: Work;
}

function* aggregate(list: readonly JsonValue[], { groupBy, operations, work }: Aggregation): Steps<Outcome> {
  const groups = groupBy ? yield* group(list, groupBy, work) : [{ keys: [], members: list }];
  // Each group repeats all names.
  const names = [...(groupBy ?? []), ...operations.map(({ as }) => as)];
  checkResultLength(groups.length * names.reduce((length, name) => length + name.length + 4, 2));
  const made: JsonObject[] = [];
  for (const { keys, members } of groups) {
    const entries = (groupBy ?? []).map((field, index): [string, JsonValue] => [field, keys[index] ?? null]);
    for (const { operation, field, as } of operations) {
      const all = yield* valuesOf(members, field, work);
      const values = operation === 'distinct' ? yield* distinct(all, work) : all;
      entries.push([as, SUMMARIES[operation](values)]);
      if (work.spend(values.length + 1)) yield;
    }
    made.push(Object.fromEntries(entries));
  }
  return output(yield* checkedResult(groupBy ? made : (made[0] ?? {}), work));
}

interface Group {
  readonly keys: readonly JsonValue[];
  readonly members: readonly JsonValue[];
}

function* group(list: readonly JsonValue[], fields: readonly string[], work: Work): Steps<Group[]> {
  const readers = fields.map(fieldReader);
  const groups = new Map<string, { keys: JsonValue[]; members: JsonValue[] }>();
  for (const item of list) {
    const keys = readers.map(({ read, units }) => {
      work.spend(units);
      return read(item) ?? null;
    });
    const id = JSON.stringify(keys);
    const known = groups.get(id);
    if (known) known.members.push(item);
    else groups.set(id, { keys, members: [item] });
    if (work.spend(2 + id.length / 8)) yield;
  }
  return [...groups.values()];
}

function* valuesOf(list: readonly JsonValue[], field: string | undefined, work: Work): Steps<JsonValue[]> {
  const { read, units } = fieldReader(field);
  const values: JsonValue[] = [];
  for (const item of list) {
    const value = read(item);
    if (value !== undefined && value !== null) values.push(value);
    if (work.spend(units)) yield;
  }
  return values;
}

function* distinct(values: readonly JsonValue[], work: Work): Steps<JsonValue[]> {
  const known = new Map<string, JsonValue>();
  for (const value of values) {
    const text = JSON.stringify(value);
    known.set(text, value);
    if (work.spend(10 + text.length / 8)) yield;
  }
  return [...known.values()];
}

/** Returns the number that a value is, or that its text is written as; undefined for other values. */
function numberOf(value: JsonValue): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/** Returns true for a cell that is empty in a table of texts. */
function isEmpty(value: JsonValue): boolean {
  return typeof value === 'string' && value.trim() === '';
}

/** The sum of the values, and how many there are. @throws NodeError NOT_A_NUMBER: a part would not be their sum. */
function addUp(values: readonly JsonValue[]): { sum: number; count: number } {
  let sum = 0;
  let count = 0;
  for (const value of values) {
    if (isEmpty(value)) continue;
    const number = numberOf(value);
    if (number === undefined) throw notANumber(value);
    sum += number;
    count += 1;
  }
  return { sum, count };
}

function notANumber(value: JsonValue): NodeError {
  const message = `${JSON.stringify(value).slice(0, 100)} is not a number, so there is no sum or average`;
  return new NodeError('NOT_A_NUMBER', message, { isRetryable: false });
}

/**
 * The first by number if all are numbers or texts of such; otherwise the first of all numbers, or of all texts where
 * there are no numbers; null when there are neither.
 */
function least(values: readonly JsonValue[], isBefore: (a: number | string, b: number | string) => boolean): JsonValue {
  const filled = values.filter((value) => !isEmpty(value));
  const [first] = filled;
  if (first === undefined) return values[0] ?? null;
  if (filled.every((value) => numberOf(value) !== undefined)) {
    return filled.reduce((best, value) => (isBefore(numberOf(value) ?? 0, numberOf(best) ?? 0) ? value : best), first);
  }
  return leastOf('number', values, isBefore) ?? leastOf('string', values, isBefore) ?? null;
}

function leastOf(
  type: 'number' | 'string',
  values: readonly JsonValue[],
  isBefore: (a: number | string, b: number | string) => boolean,
): number | string | undefined {
  let best: number | string | undefined;
  for (const value of values) {
    if ((typeof value !== 'number' && typeof value !== 'string') || typeof value !== type) continue;
    if (best === undefined || isBefore(value, best)) best = value;
  }
  return best;
}
