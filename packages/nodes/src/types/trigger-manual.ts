import { defineNodeType, output } from '@deckhand/engine';
import Type from 'typebox';

export default defineNodeType({
  type: 'trigger.manual',
  title: 'Manual trigger',
  description: 'Starts a run by hand or through the API. Its output is the `input` that the run was started with.',
  category: 'trigger',
  hasEffects: false,
  parameters: Type.Object({}, { additionalProperties: false }),
  run: (_parameters, { trigger }) => output(trigger),
});
