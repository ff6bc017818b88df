import { defineNodeType, NodeError } from '@deckhand/engine';
import Type from 'typebox';

export default defineNodeType({
  type: 'fail',
  title: 'Fail',
  description: 'Fails the run with a message.',
  keywords: ['error', 'throw', 'raise', 'abort', 'exit'],
  category: 'flow',
  hasEffects: false,
  parameters: Type.Object(
    { message: Type.String({ minLength: 1, maxLength: 10_000, description: "The run's error" }) },
    { additionalProperties: false },
  ),
  run({ message }) {
    throw new NodeError('FAILED_BY_WORKFLOW', message, { isRetryable: false });
  },
});
