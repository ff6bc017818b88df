import { compileUntrusted, isJsonObject } from '@deckhand/contracts';
import { defineNodeType, output } from '@deckhand/engine';
import Type from 'typebox';

/** Maximum length of the schema of the input, as JSON. Lists of tools contain it. */
const MAX_SCHEMA_CHARS = 32_768;

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
              'JSON Schema of the input, for callers. The arguments of tools are checked against it, other starts are not; its patterns have no lookaround and no back references',
          },
        ),
      ),
    },
    { additionalProperties: false },
  ),
  check({ inputSchema }) {
    if (!isJsonObject(inputSchema)) return [];
    const issue = (message: string) => [{ path: 'inputSchema', message }];
    if (JSON.stringify(inputSchema).length > MAX_SCHEMA_CHARS) {
      return issue(`has more than ${MAX_SCHEMA_CHARS.toLocaleString('en')} characters`);
    }
    const { type = 'object' } = inputSchema;
    if (type !== 'object') return issue('must have the type object, as inputs do');
    const compiled = compileUntrusted(inputSchema);
    return 'issues' in compiled ? compiled.issues.flatMap(({ message }) => issue(message)) : [];
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
