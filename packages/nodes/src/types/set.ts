import { type JsonValue, isJsonObject } from '@deckhand/contracts';
import { defineNodeType, output } from '@deckhand/engine';
import Type from 'typebox';

export default defineNodeType({
  type: 'set',
  title: 'Set fields',
  description:
    'Answers an object with the given fields. With `keepInput` they are added to those of its input, which they replace where names are equal.',
  category: 'data',
  hasEffects: false,
  parameters: Type.Object(
    {
      fields: Type.Record(Type.String(), Type.Unsafe<JsonValue>({}), { description: 'Name → value' }),
      keepInput: Type.Optional(Type.Boolean({ default: false, description: 'Keep the fields of the input' })),
    },
    { additionalProperties: false },
  ),
  run({ fields, keepInput = false }, { input }) {
    return output(keepInput && isJsonObject(input) ? { ...input, ...fields } : fields);
  },
});
