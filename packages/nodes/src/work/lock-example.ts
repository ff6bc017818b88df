import type { NodeExample } from '@deckhand/engine';

/** The example of both nodes of a lock: an account is booked by one run at a time. */
export const LOCK_EXAMPLE: NodeExample = {
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
};
