import type { JsonValue } from '@deckhand/contracts';
import { defineNodeType, NodeError, type Outcome, output } from '@deckhand/engine';
import Type from 'typebox';
import { FieldParameter, type FieldReader, fieldReader, ItemsParameter, itemsOf } from '../items/items.ts';
import { isKnownLocale, warnOfLocale } from '../text/known-locale.ts';
import { runInSlices, type Steps, type Work } from '../work/slices.ts';
import { sortInSteps } from '../work/sort-in-steps.ts';

export default defineNodeType({
  type: 'sort',
  title: 'Sort a list',
  description:
    'Returns a list sorted by one or several fields. Equal items keep their order; items without the field come last. Numbers come before texts, texts before anything else.',
  keywords: ['order by', 'rank', 'arrange'],
  category: 'data',
  icon: 'arrow-down-narrow-wide',
  summary: [{ each: 'by', text: '{field|item}' }],
  hasEffects: false,
  parameters: Type.Object(
    {
      items: ItemsParameter,
      by: Type.Optional(
        Type.Array(
          Type.Object(
            {
              field: Type.Optional(FieldParameter('What is compared, the item itself without it')),
              order: Type.Optional(
                Type.Enum(['ascending', 'descending'], { default: 'ascending', description: 'The direction' }),
              ),
              as: Type.Optional(
                Type.Enum(['value', 'number'], {
                  default: 'value',
                  description: 'Whether texts such as "10" are compared as numbers',
                }),
              ),
            },
            { title: 'Sort field', additionalProperties: false },
          ),
          {
            minItems: 1,
            maxItems: 10,
            description: 'The fields to sort by; a later one decides between items that are equal in the ones before',
          },
        ),
      ),
      locale: Type.Optional(
        Type.String({
          pattern: '^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$',
          default: 'en',
          description: 'The language whose alphabet orders texts, such as de or sv',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  form: { inputs: { items: 'expression' } },
  warn: ({ locale }) => warnOfLocale(locale),
  errors: ['NODE_BUDGET'],
  run({ items, by = [{}], locale = 'en' }, { input, signal }) {
    const list = itemsOf(items, input);
    if (!isKnownLocale(locale)) {
      throw new NodeError('PARAMETERS_INVALID', 'parameters.locale must be a language such as de or sv', {
        isRetryable: false,
      });
    }
    const criteria = by.map(({ field, order, as }) => ({
      field: fieldReader(field),
      isNumber: as === 'number',
      sign: order === 'descending' ? -1 : 1,
    }));
    return runInSlices(signal, (work) => sortItems(list, criteria, { collator: new Intl.Collator(locale), work }));
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
          id: 'sort',
          type: 'sort',
          parameters: {
            items: '{{ $trigger.orders }}',
            by: [{ field: 'country' }, { field: 'total', order: 'descending' }],
          },
        },
      ],
      edges: [{ source: 'start', target: 'sort' }],
    },
    outputs: {
      sort: [
        { id: 1, country: 'DE', total: 120 },
        { id: 3, country: 'DE', total: 30 },
        { id: 2, country: 'FR', total: 80 },
      ],
    },
  },
});

interface Criterion {
  readonly field: FieldReader;
  readonly isNumber: boolean;
  readonly sign: number;
}

interface Comparing {
  readonly collator: Intl.Collator;
  readonly work: Work;
}

function* sortItems(list: readonly JsonValue[], criteria: readonly Criterion[], comparing: Comparing): Steps<Outcome> {
  const { work } = comparing;
  /** The values to compare, a list for each criterion. */
  const columns: (JsonValue | undefined)[][] = criteria.map(() => []);
  for (const item of list) {
    for (const [index, { field, isNumber }] of criteria.entries()) {
      work.spend(1 + field.units);
      columns[index]?.push(isNumber ? toNumber(field.read(item)) : field.read(item));
    }
    if (work.spend(1)) yield;
  }
  const compareItems = (a: number, b: number): number => {
    for (const [index, { sign }] of criteria.entries()) {
      const result = compare(columns[index]?.[a], columns[index]?.[b], { ...comparing, sign });
      if (result !== 0) return result;
    }
    return 0;
  };
  const order = yield* sortInSteps(list.length, compareItems, work);
  return output(Array.from(order, (index) => list[index] ?? null));
}

function toNumber(value: JsonValue | undefined): JsonValue | undefined {
  if (typeof value !== 'string') return value;
  const number = value.trim() === '' ? NaN : Number(value);
  return Number.isNaN(number) ? undefined : number;
}

/** Missing values come last in either order. */
function compare(
  a: JsonValue | undefined,
  b: JsonValue | undefined,
  { collator, work, sign }: Comparing & { readonly sign: number },
): number {
  work.spend(1);
  const [rankA, rankB] = [rankOf(a), rankOf(b)];
  if (rankA !== rankB) return rankA === MISSING || rankB === MISSING ? rankA - rankB : sign * (rankA - rankB);
  if (typeof a === 'number' && typeof b === 'number') return sign * (a - b);
  if (typeof a === 'string' && typeof b === 'string') {
    work.spend(2 + (a.length + b.length) / 16);
    return sign * collator.compare(a, b);
  }
  return typeof a === 'boolean' && typeof b === 'boolean' ? sign * (Number(a) - Number(b)) : 0;
}

const OTHER = 3;
const MISSING = 4;

function rankOf(value: JsonValue | undefined): number {
  if (value === undefined || value === null) return MISSING;
  const rank = ['number', 'string', 'boolean'].indexOf(typeof value);
  return rank === -1 ? OTHER : rank;
}
