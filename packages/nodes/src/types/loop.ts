import type { JsonValue } from '@deckhand/contracts';
import { defineNodeType, NodeError } from '@deckhand/engine';
import Type from 'typebox';

const MAX_ITERATIONS = 10_000;

export default defineNodeType({
  type: 'loop',
  title: 'Loop',
  description:
    'Runs the nodes after its `body` output once per item, then continues at `done` with the list of the outputs. In the body, `$loop.item` and `$loop.index` are the item and its number from 0.',
  category: 'flow',
  hasEffects: false,
  parameters: Type.Object(
    {
      items: Type.Array(Type.Unsafe<JsonValue>({}), { description: 'Usually one expression that returns a list' }),
      concurrency: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 20, default: 1, description: 'Iterations at the same time' }),
      ),
      maxIterations: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 1_000_000,
          default: MAX_ITERATIONS,
          description: 'A longer list fails the node',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  handles: () => ['body', 'done'],
  run({ items, concurrency = 1, maxIterations = MAX_ITERATIONS }) {
    if (items.length > maxIterations) {
      const message = `${items.length} items are more than maxIterations (${maxIterations})`;
      throw new NodeError('LOOP_TOO_LONG', message, { isRetryable: false });
    }
    return { kind: 'loop', items, concurrency };
  },
});
