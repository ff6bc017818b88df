import { defineNodeType, output } from '@deckhand/engine';
import Type from 'typebox';

export default defineNodeType({
  type: 'merge',
  title: 'Merge',
  description:
    'Brings branches together once all of them are settled: as an object by node id, as an array in the order of the edges, or only the first branch that was taken.',
  category: 'flow',
  hasEffects: false,
  parameters: Type.Object(
    {
      mode: Type.Optional(
        Type.Enum(['object', 'array', 'first'], { default: 'object', description: 'What the branches become' }),
      ),
    },
    { additionalProperties: false },
  ),
  run({ mode = 'object' }, { inputs }) {
    switch (mode) {
      case 'object':
        return output(Object.fromEntries(inputs.map((entry) => [entry.nodeId, entry.output])));
      case 'array':
        return output(inputs.map((entry) => entry.output));
      case 'first':
        return output(inputs[0]?.output ?? null);
    }
  },
});
