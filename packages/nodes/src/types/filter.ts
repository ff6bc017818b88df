import type { JsonValue } from '@deckhand/contracts';
import { defineNodeType, indexOfText, type Outcome, output } from '@deckhand/engine';
import Type from 'typebox';
import { createJsonSet, isSameJson } from '../items/equality.ts';
import { FieldParameter, type FieldReader, fieldReader, ItemsParameter, itemsOf } from '../items/items.ts';
import { runInSlices, type Steps, type Work } from '../work/slices.ts';

type Test = (found: JsonValue | undefined, value: JsonValue | undefined, work: Work) => boolean;

/** Numbers are compared with numbers and texts with texts; anything else is neither less nor greater. */
const ordered =
  (test: (order: number) => boolean): Test =>
  (found, value, work) => {
    if (typeof found === 'number' && typeof value === 'number') return test(found - value);
    if (typeof found !== 'string' || typeof value !== 'string') return false;
    work.spend(Math.min(found.length, value.length) / 16);
    return test(found < value ? -1 : Number(found > value));
  };

const TESTS = {
  equals: isSameJson,
  notEquals: (found, value, work) => !isSameJson(found, value, work),
  greater: ordered((order) => order > 0),
  greaterOrEqual: ordered((order) => order >= 0),
  less: ordered((order) => order < 0),
  lessOrEqual: ordered((order) => order <= 0),
  contains,
  notContains: (found, value, work) => !contains(found, value, work),
  startsWith: atAnEnd((found, value) => found.startsWith(value)),
  endsWith: atAnEnd((found, value) => found.endsWith(value)),
  // Looks up in a set that is created once: see
  in: () => false,
  exists: (found) => found !== undefined && found !== null,
  missing: (found) => found === undefined || found === null,
  empty: (found) => isEmpty(found),
  notEmpty: (found) => !isEmpty(found),
} satisfies Record<string, Test>;

const OPERATORS = Object.keys(TESTS).filter((name): name is keyof typeof TESTS => name in TESTS);

/** A condition on the card of a node. */
const CONDITION = '{field|item} {operator?} {value?}';

export default defineNodeType({
  type: 'filter',
  title: 'Filter a list',
  description:
    'Returns the items of a list that meet the conditions, in their order. Values are compared by value and type: 1 is not "1".',
  keywords: ['where', 'keep items', 'remove items', 'search', 'exclude'],
  category: 'data',
  icon: 'filter',
  summary: [
    { when: { match: 'any' }, each: 'conditions', text: CONDITION, join: 'or' },
    { each: 'conditions', text: CONDITION, join: 'and' },
  ],
  hasEffects: false,
  parameters: Type.Object(
    {
      items: ItemsParameter,
      conditions: Type.Array(
        Type.Object(
          {
            field: Type.Optional(FieldParameter('The value to compare; the item itself if left out')),
            operator: Type.Enum(OPERATORS, { description: 'How it is compared' }),
            value: Type.Optional(
              Type.Unsafe<JsonValue>({ description: 'The value to compare with; for `in`, a list' }),
            ),
          },
          { title: 'Condition', additionalProperties: false },
        ),
        { minItems: 1, maxItems: 100, description: 'The conditions that an item has to meet' },
      ),
      match: Type.Optional(
        Type.Enum(['all', 'any'], { default: 'all', description: 'Whether all conditions have to be met, or any' }),
      ),
    },
    { additionalProperties: false },
  ),
  form: { inputs: { items: 'expression' } },
  errors: ['NODE_BUDGET'],
  run({ items, conditions, match = 'all' }, { input, signal }) {
    const list = itemsOf(items, input);
    return runInSlices(signal, (work) => keepItems(list, { conditions, isAll: match === 'all', work }));
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
          id: 'filter',
          type: 'filter',
          parameters: {
            items: '{{ $trigger.orders }}',
            conditions: [
              { field: 'country', operator: 'equals', value: 'DE' },
              { field: 'total', operator: 'greater', value: 50 },
            ],
          },
        },
      ],
      edges: [{ source: 'start', target: 'filter' }],
    },
    outputs: { filter: [{ id: 1, country: 'DE', total: 120 }] },
  },
});

interface Condition {
  readonly field?: string;
  readonly operator: keyof typeof TESTS;
  readonly value?: JsonValue;
}

function* keepItems(
  list: readonly JsonValue[],
  { conditions, isAll, work }: { conditions: readonly Condition[]; isAll: boolean; work: Work },
): Steps<Outcome> {
  const tests: { readonly field: FieldReader; readonly holds: (found: JsonValue | undefined) => boolean }[] = [];
  for (const condition of conditions) {
    tests.push({ field: fieldReader(condition.field), holds: yield* prepare(condition, work) });
  }
  const kept: JsonValue[] = [];
  for (const item of list) {
    let holds = isAll;
    for (const test of tests) {
      if (work.spend(1 + test.field.units)) yield;
      holds = test.holds(test.field.read(item));
      if (holds !== isAll) break;
    }
    if (holds) kept.push(item);
  }
  return output(kept);
}

/** Returns the test of one condition; `in` uses a set. */
function* prepare({ operator, value }: Condition, work: Work): Steps<(found: JsonValue | undefined) => boolean> {
  if (operator !== 'in') return (found) => TESTS[operator](found, value, work);
  const known = createJsonSet(work);
  const values: readonly JsonValue[] = Array.isArray(value) ? value : [];
  for (const one of values) {
    known.add(one);
    if (work.spend(1)) yield;
  }
  return (found) => found !== undefined && known.has(found);
}

function atAnEnd(test: (found: string, value: string) => boolean): Test {
  return (found, value, work) => {
    if (typeof found !== 'string' || typeof value !== 'string') return false;
    work.spend(value.length / 16);
    return test(found, value);
  };
}

function contains(found: JsonValue | undefined, value: JsonValue | undefined, work: Work): boolean {
  if (typeof found === 'string') {
    work.spend(found.length / 16);
    return typeof value === 'string' && indexOfText(found, value) !== -1;
  }
  return Array.isArray(found) && found.some((one: JsonValue) => isSameJson(one, value, work));
}

function isEmpty(found: JsonValue | undefined): boolean {
  if (found === undefined || found === null || found === '') return true;
  return typeof found === 'object' && Object.keys(found).length === 0;
}
