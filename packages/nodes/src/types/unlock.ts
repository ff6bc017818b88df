import { defineNodeType, output } from '@deckhand/engine';
import Type from 'typebox';

export default defineNodeType({
  type: 'unlock',
  title: 'Unlock',
  description:
    'Releases the lock with a key that this run holds, and passes its input on. Whoever waits for it first gets it. Without a lock to release, it does nothing.',
  category: 'flow',
  hasEffects: true,
  parameters: Type.Object(
    { key: Type.String({ minLength: 1, maxLength: 200, description: 'The key of the `lock` node' }) },
    { additionalProperties: false },
  ),
  sample: () => ({}),
  async run({ key }, { services, input, workspaceId, executionId }) {
    await services.locks.release({ workspaceId, executionId, key });
    return output(input);
  },
});
