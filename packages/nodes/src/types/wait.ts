import { readTime } from '@deckhand/contracts';
import { defineNodeType, NodeError, output } from '@deckhand/engine';
import Type from 'typebox';

export default defineNodeType({
  type: 'wait',
  title: 'Wait',
  description:
    'Waits for some seconds, or until a time, and passes its input on. It occupies no worker meanwhile. If the time is in the past, it does not wait.',
  keywords: ['delay', 'sleep', 'pause', 'later', 'timeout'],
  category: 'flow',
  icon: 'clock',
  summary: [{ text: '{seconds} s' }, { text: 'until {until}' }],
  hasEffects: false,
  parameters: Type.Object(
    {
      seconds: Type.Optional(Type.Number({ minimum: 0, maximum: 31_536_000, description: 'How long, up to a year' })),
      until: Type.Optional(Type.String({ description: 'ISO 8601, instead of `seconds`; without an offset it is UTC' })),
    },
    { additionalProperties: false },
  ),
  unheeded: () => ({
    retry: 'has no effect: a wait does not fail',
    timeoutSeconds: 'does not limit the wait',
  }),
  restSeconds: 'seconds',
  check({ seconds, until }) {
    const isOne = (seconds === undefined) !== (until === undefined);
    return isOne ? [] : [{ path: '', message: 'give either seconds or until' }];
  },
  run({ seconds, until }, { input, now }) {
    // Without an offset it is UTC, whatever the worker's time zone.
    const dueAt = until === undefined ? now() + (seconds ?? 0) * 1_000 : readTime(until)?.getTime();
    if (dueAt === undefined) {
      throw new NodeError('PARAMETERS_INVALID', 'parameters.until is not a time (ISO 8601)', { isRetryable: false });
    }
    return dueAt <= now()
      ? output(input)
      : { kind: 'wait', wait: { kind: 'time', details: {}, dueAt: Math.ceil(dueAt) } };
  },
  resume: (_answer, _wait, { input }) => output(input),
  example: {
    trigger: { order: 17 },
    definition: {
      nodes: [
        { id: 'start', type: 'trigger.manual' },
        { id: 'pause', type: 'wait', parameters: { seconds: 3600 } },
        { id: 'remind', type: 'set', parameters: { fields: { reminder: '{{ $input.order }}' } } },
      ],
      edges: [
        { source: 'start', target: 'pause' },
        { source: 'pause', target: 'remind' },
      ],
    },
    answers: { pause: { kind: 'expired' } },
    outputs: { pause: { order: 17 }, remind: { reminder: 17 } },
  },
});
