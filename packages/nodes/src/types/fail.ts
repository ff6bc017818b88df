import { defineNodeType, NodeError } from '@deckhand/engine';
import Type from 'typebox';

export default defineNodeType({
  type: 'fail',
  title: 'Fail',
  description: 'Fails the run with a message.',
  keywords: ['error', 'throw', 'raise', 'abort', 'exit'],
  category: 'flow',
  icon: 'circle-stop',
  summary: '{message}',
  hasEffects: false,
  alwaysFails: true,
  parameters: Type.Object(
    { message: Type.String({ minLength: 1, maxLength: 10_000, description: "The run's error" }) },
    { additionalProperties: false },
  ),
  errors: ['FAILED_BY_WORKFLOW'],
  run({ message }) {
    throw new NodeError('FAILED_BY_WORKFLOW', message, { isRetryable: false });
  },
  example: {
    trigger: { amount: -5 },
    definition: {
      nodes: [
        { id: 'start', type: 'trigger.manual' },
        { id: 'valid', type: 'if', parameters: { condition: '{{ $trigger.amount > 0 }}' } },
        { id: 'refuse', type: 'fail', parameters: { message: '{{ $trigger.amount }} is not an amount' } },
        { id: 'book', type: 'set', parameters: { fields: { booked: '{{ $trigger.amount }}' } } },
      ],
      edges: [
        { source: 'start', target: 'valid' },
        { source: 'valid', sourceHandle: 'false', target: 'refuse' },
        { source: 'valid', sourceHandle: 'true', target: 'book' },
      ],
    },
    outputs: {},
    skipped: ['book'],
    error: { message: '-5 is not an amount', code: 'FAILED_BY_WORKFLOW' },
  },
});
