import type { Definition } from '@deckhand/contracts';

/** A workflow with a decision of a person, and its runs' outputs. */
export const ORDERS: Definition = {
  nodes: [
    { id: 'start', type: 'trigger.manual', name: 'Order arrives' },
    { id: 'price', type: 'set', name: 'Add the price', parameters: { fields: { total: '{{ $trigger.count * 3 }}' } } },
    { id: 'large', type: 'if', name: 'Is it large?', parameters: { condition: '{{ $input.total > 100 }}' } },
    { id: 'ask', type: 'approval', name: 'Ask the manager', parameters: { message: 'Ship it?' } },
    { id: 'ship', type: 'set', name: 'Ship', parameters: { fields: { shipped: true } } },
    { id: 'refuse', type: 'fail', name: 'Refuse', parameters: { message: 'the manager refused' } },
    { id: 'end', type: 'terminal', name: 'Answer', parameters: { body: { done: true } } },
  ],
  edges: [
    { source: 'start', target: 'price' },
    { source: 'price', target: 'large' },
    { source: 'large', sourceHandle: 'true', target: 'ask' },
    { source: 'large', sourceHandle: 'false', target: 'ship' },
    { source: 'ask', sourceHandle: 'approved', target: 'ship' },
    { source: 'ask', sourceHandle: 'rejected', target: 'refuse' },
    { source: 'ship', target: 'end' },
  ],
};
