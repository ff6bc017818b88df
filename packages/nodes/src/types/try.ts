import { defineNodeType } from '@deckhand/engine';
import Type from 'typebox';

export default defineNodeType({
  type: 'try',
  title: 'Try',
  description:
    'Runs the nodes after its `body` output, with its input, and catches their failures. If all of them end well, the run continues at `success` with the output of the last one; of several last ones, also where the body has several branches, with an object by node id. A node is the last one if it ended without taking an edge. If one fails, after its retries and without an `onError` of its own, the rest of the body is cancelled, and the run continues at `error` with `{ error: { nodeId, code, message } }`, and the `iteration` of a node in a loop. The nodes at `error` do not repeat what was done: undo it there. Not caught are a stop and the time-out of the run, and failures of the nodes at `success` and `error`.',
  keywords: ['catch', 'error handling', 'exception', 'rescue', 'rollback', 'undo', 'compensate', 'saga'],
  category: 'flow',
  icon: 'shield-check',
  hasEffects: false,
  parameters: Type.Object({}, { additionalProperties: false }),
  unheeded: () => ({
    retry: 'does not repeat the body',
    timeoutSeconds: 'does not limit the body',
  }),
  handles: ['body', 'error', 'success'],
  undecidedHandle: 'success',
  container: 'try',
  run: () => ({ kind: 'try' }),
  example: {
    trigger: { order: 'A-1' },
    definition: {
      nodes: [
        { id: 'start', type: 'trigger.manual' },
        { id: 'try', type: 'try' },
        { id: 'reserve', type: 'set', parameters: { fields: { reserved: '{{ $trigger.order }}' } } },
        { id: 'check', type: 'fail', parameters: { message: 'the card was declined' } },
        { id: 'ship', type: 'set', parameters: { fields: { shipped: true } } },
        { id: 'cancel', type: 'set', parameters: { fields: { cancelled: '{{ $input.error.message }}' } } },
      ],
      edges: [
        { source: 'start', target: 'try' },
        { source: 'try', sourceHandle: 'body', target: 'reserve' },
        { source: 'reserve', target: 'check' },
        { source: 'try', sourceHandle: 'success', target: 'ship' },
        { source: 'try', sourceHandle: 'error', target: 'cancel' },
      ],
    },
    outputs: {
      reserve: { reserved: 'A-1' },
      try: { error: { nodeId: 'check', message: 'the card was declined', code: 'FAILED_BY_WORKFLOW' } },
      cancel: { cancelled: 'the card was declined' },
    },
    skipped: ['ship'],
  },
});
