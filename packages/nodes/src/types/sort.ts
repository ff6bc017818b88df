import type { JsonValue } from '@deckhand/contracts';
import { defineNodeType, output } from '@deckhand/engine';
import Type from 'typebox';
import { FieldParameter, fieldOf, ItemsParameter, itemsOf } from '../items/items.js';

export default defineNodeType({
  type: 'sort',
  title: 'Sort a list',
  description:
    'Answers a list in the order of one or several fields. Items that are alike keep their order; those without the field come last. Numbers come before texts, texts before anything else.',
  category: 'data',
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
                Type.Enum(['ascending', 'descending'], { default: 'ascending', description: 'Which comes first' }),
              ),
              as: Type.Optional(
                Type.Enum(['value', 'number'], {
                  default: 'value',
                  description: 'Whether texts such as "10" are compared as numbers',
                }),
              ),
            },
            { additionalProperties: false },
          ),
          { minItems: 1, maxItems: 10, description: 'The first decides; the next ones where items are alike' },
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
  run({ items, by = [{}], locale = 'en' }, { input }) {
    const collator = new Intl.Collator(locale);
    const keyed = itemsOf(items, input).map((item) => ({
      item,
      keys: by.map(({ field, as }) => (as === 'number' ? toNumber(fieldOf(item, field)) : fieldOf(item, field))),
    }));
    keyed.sort((a, b) => {
      for (const [index, { order }] of by.entries()) {
        const result = compare(a.keys[index], b.keys[index], { collator, sign: order === 'descending' ? -1 : 1 });
        if (result !== 0) return result;
      }
      return 0;
    });
    return output(keyed.map(({ item }) => item));
  },
});

function toNumber(value: JsonValue | undefined): JsonValue | undefined {
  if (typeof value !== 'string') return value;
  const number = value.trim() === '' ? NaN : Number(value);
  return Number.isNaN(number) ? undefined : number;
}

/** What is missing comes last in either order. */
function compare(
  a: JsonValue | undefined,
  b: JsonValue | undefined,
  { collator, sign }: { collator: Intl.Collator; sign: number },
): number {
  const [rankA, rankB] = [rankOf(a), rankOf(b)];
  if (rankA !== rankB) return rankA === MISSING || rankB === MISSING ? rankA - rankB : sign * (rankA - rankB);
  if (typeof a === 'number' && typeof b === 'number') return sign * (a - b);
  if (typeof a === 'string' && typeof b === 'string') return sign * collator.compare(a, b);
  return typeof a === 'boolean' && typeof b === 'boolean' ? sign * (Number(a) - Number(b)) : 0;
}

const OTHER = 3;
const MISSING = 4;

function rankOf(value: JsonValue | undefined): number {
  if (value === undefined || value === null) return MISSING;
  const rank = ['number', 'string', 'boolean'].indexOf(typeof value);
  return rank === -1 ? OTHER : rank;
}
