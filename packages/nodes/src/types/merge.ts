import { defineNodeType, output } from '@deckhand/engine';
import Type from 'typebox';
import { checkedOutput } from '../text/checked-output.js';

export default defineNodeType({
  type: 'merge',
  title: 'Merge',
  description:
    'Joins branches once all of them have finished: as an object by node id, as an array in the order of the edges, or only the first branch that was taken.',
  category: 'flow',
  hasEffects: false,
  parameters: Type.Object(
    {
      mode: Type.Optional(
        Type.Enum(['object', 'array', 'first'], { default: 'object', description: 'The form of the output' }),
      ),
    },
    { additionalProperties: false },
  ),
  run({ mode = 'object' }, { inputs, signal }) {
    switch (mode) {
      case 'object':
        return checkedOutput(Object.fromEntries(inputs.map((entry) => [entry.nodeId, entry.output])), signal);
      case 'array':
        return checkedOutput(
          inputs.map((entry) => entry.output),
          signal,
        );
      case 'first':
        return output(inputs[0]?.output ?? null);
    }
  },
});
