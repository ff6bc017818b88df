import { defineNodeType, output } from '@deckhand/engine';
import Type from 'typebox';
import { LOCK_EXAMPLE } from '../work/lock-example.ts';
import { keyParameter, keyText } from '../work/node-key.ts';

export default defineNodeType({
  type: 'unlock',
  title: 'Unlock',
  description:
    'Releases the lock that this run holds under a key, and passes its input on. The run that has waited longest gets the lock next. If the run holds no such lock, the node does nothing.',
  keywords: ['release', 'mutex'],
  category: 'flow',
  icon: 'lock-open',
  summary: '{key}',
  hasEffects: true,
  parameters: Type.Object(
    { key: keyParameter({ maxLength: 200, description: 'The key of the `lock` node' }) },
    { additionalProperties: false },
  ),
  sample: () => ({}),
  async run({ key }, { services, input, workspaceId, executionId }) {
    await services.locks.release({ workspaceId, executionId, key: keyText(key) });
    return output(input);
  },
  example: LOCK_EXAMPLE,
});
