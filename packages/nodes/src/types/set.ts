import { isJsonObject, type JsonObject, type JsonValue } from '@deckhand/contracts';
import { defineNodeType } from '@deckhand/engine';
import Type from 'typebox';
import { checkedOutput } from '../text/checked-output.ts';

/**
 * Spread first: V8 creates new hidden classes for members that are added to a copy, and keeps them until a full
 * collection.
 */
const NOTHING: JsonObject = {};

export default defineNodeType({
  type: 'set',
  title: 'Edit fields',
  description:
    'Returns an object with the given fields. With `keepInput` they are added to the fields of the input, and replace those of the same name.',
  keywords: ['transform', 'map', 'rename', 'set', 'assign', 'field', 'variable', 'json', 'object', 'mapping'],
  category: 'data',
  icon: 'pen-line',
  summary: '{fields}',
  hasEffects: false,
  parameters: Type.Object(
    {
      fields: Type.Record(Type.String(), Type.Unsafe<JsonValue>({}), { description: 'Name → value' }),
      keepInput: Type.Optional(Type.Boolean({ default: false, description: 'Keep the fields of the input' })),
    },
    { additionalProperties: false },
  ),
  outputMembersOf: 'fields',
  errors: ['NODE_BUDGET', 'RESULT_TOO_LARGE'],
  run({ fields, keepInput = false }, { input, signal }) {
    const made: JsonObject = keepInput && isJsonObject(input) ? { ...NOTHING, ...input, ...fields } : fields;
    return checkedOutput(made, signal);
  },
  example: {
    trigger: { first: 'Ada', last: 'Lovelace', password: 'secret' },
    definition: {
      nodes: [
        { id: 'start', type: 'trigger.manual' },
        {
          id: 'person',
          type: 'set',
          parameters: {
            fields: { name: '{{ $trigger.first }} {{ $trigger.last }}', active: true, tags: ['new'] },
          },
        },
        { id: 'numbered', type: 'set', parameters: { fields: { number: 1 }, keepInput: true } },
      ],
      edges: [
        { source: 'start', target: 'person' },
        { source: 'person', target: 'numbered' },
      ],
    },
    outputs: {
      person: { name: 'Ada Lovelace', active: true, tags: ['new'] },
      numbered: { name: 'Ada Lovelace', active: true, tags: ['new'], number: 1 },
    },
  },
});
