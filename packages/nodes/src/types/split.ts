import { type ValidationIssue, isJsonObject, type JsonObject, type JsonValue } from '@deckhand/contracts';
import { defineNodeType, NodeError, type Outcome, output } from '@deckhand/engine';
import Type from 'typebox';
import { FieldParameter, fieldReader, ItemsParameter, itemsOf } from '../items/items.ts';
import { checkLength, checkResultLength } from '../text/limit.ts';
import { runInSlices, type Steps, type Work } from '../work/slices.ts';

export default defineNodeType({
  type: 'split',
  title: 'Split',
  description:
    'Splits a list into batches of `size`, a text at its `separator`, or each item of a list into one item per element of its `field`, with the other members of the item.',
  keywords: ['batch', 'chunk', 'flatten', 'unwind', 'explode', 'separate'],
  category: 'data',
  icon: 'scissors',
  summary: [{ text: 'every {size}' }, { text: '{field}' }],
  hasEffects: false,
  parameters: Type.Object(
    {
      items: ItemsParameter,
      size: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 100_000, description: 'Maximum number of items in a batch' }),
      ),
      field: Type.Optional(FieldParameter('A list in each item')),
      as: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 200,
          description: 'The name of an element of `field`; by default the name of the field',
        }),
      ),
      text: Type.Optional(Type.String({ description: 'A text of at most 5,000,000 characters' })),
      separator: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 100,
          default: '\n',
          description: 'The separator at which the text is split',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  form: { inputs: { items: 'expression' } },
  check(parameters): ValidationIssue[] {
    const ways = ['size', 'field', 'text'].filter((name) => parameters[name] !== undefined);
    if (ways.length === 1) return [];
    const [first = 'size'] = ways;
    return [{ path: first, message: 'has to be the one of size, field and text that is there' }];
  },
  errors: ['NODE_BUDGET', 'RESULT_TOO_LARGE', 'TEXT_TOO_LARGE'],
  run({ items, size, field, as, text, separator = '\n' }, { input, signal }) {
    if (text !== undefined) {
      checkLength(text);
      return runInSlices(signal, (work) => splitText(text, separator, work));
    }
    const list = itemsOf(items, input);
    if (size !== undefined) return runInSlices(signal, (work) => batches(list, size, work));
    if (field !== undefined) return runInSlices(signal, (work) => splitItems(list, { field, as: as ?? field, work }));
    throw new NodeError('PARAMETERS_INVALID', 'parameters.size, field or text is required', { isRetryable: false });
  },
  example: {
    trigger: { ids: [1, 2, 3, 4, 5] },
    definition: {
      nodes: [
        { id: 'start', type: 'trigger.manual' },
        { id: 'split', type: 'split', parameters: { items: '{{ $trigger.ids }}', size: 2 } },
      ],
      edges: [{ source: 'start', target: 'split' }],
    },
    outputs: { split: [[1, 2], [3, 4], [5]] },
  },
});

function* splitText(text: string, separator: string, work: Work): Steps<Outcome> {
  const parts: string[] = [];
  let from = 0;
  for (let end = text.indexOf(separator); end !== -1; end = text.indexOf(separator, from)) {
    parts.push(text.slice(from, end));
    if (work.spend(1 + (end - from) / 16)) yield;
    from = end + separator.length;
  }
  parts.push(text.slice(from));
  return output(parts);
}

function* batches(list: readonly JsonValue[], size: number, work: Work): Steps<Outcome> {
  const made: JsonValue[] = [];
  for (let from = 0; from < list.length; from += size) {
    made.push(list.slice(from, from + size));
    if (work.spend(1 + size / 16)) yield;
  }
  return output(made);
}

/** An item without the list stays as it is. */
function* splitItems(
  list: readonly JsonValue[],
  { field, as, work }: { field: string; as: string; work: Work },
): Steps<Outcome> {
  const { read, units } = fieldReader(field);
  const made: JsonValue[] = [];
  let length = 0;
  for (const item of list) {
    if (work.spend(units)) yield;
    const members = read(item);
    if (!isList(members) || !isJsonObject(item)) {
      made.push(item);
      continue;
    }
    const others: JsonObject = Object.fromEntries(Object.entries(item).filter(([name]) => name !== field));
    const names = Object.keys(others).length;
    const othersLength = JSON.stringify(others).length;
    work.spend(othersLength / 8);
    // Each element repeats the other members.
    length += members.length * (othersLength + as.length);
    checkResultLength(length);
    for (const member of members) {
      made.push({ ...others, [as]: member });
      if (work.spend(1 + names)) yield;
    }
  }
  return output(made);
}

function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}
