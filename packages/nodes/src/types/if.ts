import type { JsonValue } from '@deckhand/contracts';
import { defineNodeType } from '@deckhand/engine';
import Type from 'typebox';

export default defineNodeType({
  type: 'if',
  title: 'If',
  description:
    'Continues at `true` if its condition is true, otherwise at `false`, and passes its input on. Values count as true as in JavaScript.',
  keywords: ['condition', 'branch', 'else', 'then', 'compare', 'boolean', 'check'],
  category: 'flow',
  icon: 'split',
  summary: '{condition}',
  hasEffects: false,
  parameters: Type.Object(
    { condition: Type.Unsafe<JsonValue>({ description: 'Usually one expression, such as {{ $input.amount > 100 }}' }) },
    { additionalProperties: false },
  ),
  form: { inputs: { condition: 'expression' } },
  handles: ['true', 'false'],
  condition: 'condition',
  run: ({ condition }, { input }) => ({ kind: 'output', output: input, handle: condition ? 'true' : 'false' }),
  example: {
    trigger: { amount: 150 },
    definition: {
      nodes: [
        { id: 'start', type: 'trigger.manual' },
        { id: 'check', type: 'if', parameters: { condition: '{{ $trigger.amount > 100 }}' } },
        { id: 'big', type: 'set', parameters: { fields: { size: 'big' } } },
        { id: 'small', type: 'set', parameters: { fields: { size: 'small' } } },
      ],
      edges: [
        { source: 'start', target: 'check' },
        { source: 'check', sourceHandle: 'true', target: 'big' },
        { source: 'check', sourceHandle: 'false', target: 'small' },
      ],
    },
    outputs: { check: { amount: 150 }, big: { size: 'big' } },
    skipped: ['small'],
  },
});
