import type { JsonValue } from '@deckhand/contracts';
import { defineNodeType, type Outcome, output } from '@deckhand/engine';
import Type from 'typebox';
import { checkedResult } from '../text/limit.js';
import { runInSlices, type Steps, type Work } from '../work/slices.js';

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
  run({ mode = 'object' }, { inputs, signal }) {
    switch (mode) {
      case 'object':
        return runInSlices(signal, (work) =>
          checked(Object.fromEntries(inputs.map((entry) => [entry.nodeId, entry.output])), work),
        );
      case 'array':
        return runInSlices(signal, (work) =>
          checked(
            inputs.map((entry) => entry.output),
            work,
          ),
        );
      case 'first':
        return output(inputs[0]?.output ?? null);
    }
  },
});

function* checked(merged: JsonValue, work: Work): Steps<Outcome> {
  return output(yield* checkedResult(merged, work));
}
