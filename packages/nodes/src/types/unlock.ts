import { defineNodeType, output } from '@deckhand/engine';
import Type from 'typebox';
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
  example: {
    trigger: { account: 7 },
    definition: {
      nodes: [
        { id: 'start', type: 'trigger.manual' },
        {
          id: 'lock',
          type: 'lock',
          parameters: { key: 'account {{ $trigger.account }}', timeoutSeconds: 600 },
          onError: 'branch',
        },
        { id: 'book', type: 'set', parameters: { fields: { booked: true } } },
        { id: 'unlock', type: 'unlock', parameters: { key: 'account {{ $trigger.account }}' } },
        { id: 'busy', type: 'set', parameters: { fields: { booked: false } } },
      ],
      edges: [
        { source: 'start', target: 'lock' },
        { source: 'lock', target: 'book' },
        { source: 'book', target: 'unlock' },
        { source: 'lock', sourceHandle: 'error', target: 'busy' },
      ],
    },
    outputs: { lock: { account: 7 }, unlock: { booked: true } },
    skipped: ['busy'],
  },
});
