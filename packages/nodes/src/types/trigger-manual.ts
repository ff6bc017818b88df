import { isJsonObject } from '@deckhand/contracts';
import { defineNodeType, output } from '@deckhand/engine';
import Type from 'typebox';
import { findSchemaIssues } from '../schemas/input-schemas.ts';

export default defineNodeType({
  type: 'trigger.manual',
  title: 'Manual trigger',
  description: 'Starts a run by hand or through the API. Its output is the `input` that the run was started with.',
  keywords: ['start', 'button', 'by hand', 'begin', 'test'],
  category: 'trigger',
  icon: 'play',
  hasEffects: false,
  parameters: Type.Object(
    {
      inputSchema: Type.Optional(
        Type.Object(
          {},
          {
            additionalProperties: true,
            description:
              'JSON Schema of the input. A start whose input does not fit is refused with the field. Its patterns have no lookaround and no back references',
          },
        ),
      ),
      enforceInputSchema: Type.Optional(
        Type.Boolean({
          default: true,
          description: 'Off, the schema only describes the input to callers; the arguments of tools are checked anyway',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  check({ inputSchema }) {
    const path = 'inputSchema';
    if (isJsonObject(inputSchema) && (inputSchema.type ?? 'object') !== 'object')
      return [{ path, message: 'must have the type object, as inputs do' }];
    return findSchemaIssues(path, inputSchema);
  },
  verbatim: ['inputSchema'],
  run: (_parameters, { trigger }) => output(trigger),
  example: {
    trigger: { name: 'Ada' },
    definition: {
      nodes: [
        { id: 'start', type: 'trigger.manual' },
        { id: 'greet', type: 'set', parameters: { fields: { text: 'Hello {{ $trigger.name }}' } } },
      ],
      edges: [{ source: 'start', target: 'greet' }],
    },
    outputs: { start: { name: 'Ada' }, greet: { text: 'Hello Ada' } },
  },
});
