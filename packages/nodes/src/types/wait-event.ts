import { EVENT_NAME_PATTERN, MAX_EVENT_KEY_LENGTH, MAX_EVENT_LOOKBACK_SECONDS } from '@deckhand/contracts';
import { defineNodeType, type Outcome } from '@deckhand/engine';
import type { JsonValue } from '@deckhand/contracts';
import Type from 'typebox';
import { EventOutput } from '../trigger/event-output.ts';
import { keyParameter, keyText } from '../work/node-key.ts';

const DEFAULT_LOOKBACK_SECONDS = 60;

export default defineNodeType({
  type: 'wait.event',
  title: 'Wait for event',
  description:
    'Waits until an event with its name and key is sent to the workspace, and continues at `received` with the event: `{ id, name, key, data, receivedAt }`. If none comes in time, it continues at `timeout` with its input. It occupies no worker meanwhile.',
  keywords: ['callback', 'resume', 'correlate', 'receive', 'signal', 'message'],
  category: 'flow',
  icon: 'hourglass',
  summary: '{name}',
  hasEffects: false,
  parameters: Type.Object(
    {
      name: Type.String({ pattern: EVENT_NAME_PATTERN, description: 'The name of the event, such as `order.paid`' }),
      key: Type.Optional(
        keyParameter({
          maxLength: MAX_EVENT_KEY_LENGTH,
          description: 'The key of the event, such as `{{ $trigger.order }}`; without it, any event of the name',
        }),
      ),
      timeoutSeconds: Type.Optional(
        Type.Number({
          exclusiveMinimum: 0,
          maximum: 31_536_000,
          description: 'How long to wait; by default until the run times out',
        }),
      ),
      lookbackSeconds: Type.Optional(
        Type.Number({
          minimum: 0,
          maximum: MAX_EVENT_LOOKBACK_SECONDS,
          default: DEFAULT_LOOKBACK_SECONDS,
          description:
            'How long before the wait the event may have come, unless it has woken or started this run already',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  outputSchema: EventOutput,
  unheeded: () => ({
    retry: 'has no effect: without an event in time, the node takes "timeout"',
    timeoutSeconds: 'does not limit the wait: use parameters.timeoutSeconds',
  }),
  restSeconds: 'timeoutSeconds',
  handles: ['timeout', 'received'],
  run({ name, key = '', timeoutSeconds, lookbackSeconds = DEFAULT_LOOKBACK_SECONDS }, { mode, mock, now }) {
    if (mode === 'sandbox') {
      return received(
        mock ?? {
          id: 'sample',
          name,
          key: key === '' ? null : keyText(key),
          data: null,
          receivedAt: new Date(now()).toISOString(),
        },
      );
    }
    const dueAt = timeoutSeconds === undefined ? null : now() + Math.ceil(timeoutSeconds * 1_000);
    const details = { name, key: keyText(key), lookbackSeconds };
    return { kind: 'wait', wait: { kind: 'event', details, dueAt } };
  },
  resume: (answer, _wait, { input }) =>
    answer.kind === 'expired' ? { kind: 'output', output: input, handle: 'timeout' } : received(answer.value),
  example: {
    trigger: { order: 'A-1' },
    definition: {
      nodes: [
        { id: 'start', type: 'trigger.manual' },
        {
          id: 'payment',
          type: 'wait.event',
          parameters: { name: 'order.paid', key: '{{ $trigger.order }}', timeoutSeconds: 86400 },
        },
        { id: 'ship', type: 'set', parameters: { fields: { shipped: '{{ $input.key }}' } } },
        { id: 'cancel', type: 'set', parameters: { fields: { cancelled: '{{ $input.order }}' } } },
      ],
      edges: [
        { source: 'start', target: 'payment' },
        { source: 'payment', sourceHandle: 'received', target: 'ship' },
        { source: 'payment', sourceHandle: 'timeout', target: 'cancel' },
      ],
    },
    answers: {
      payment: {
        kind: 'answered',
        value: {
          id: 'evt-17',
          name: 'order.paid',
          key: 'A-1',
          data: null,
          receivedAt: '2026-01-05T09:00:00.000Z',
        },
      },
    },
    outputs: {
      payment: {
        id: 'evt-17',
        name: 'order.paid',
        key: 'A-1',
        data: null,
        receivedAt: '2026-01-05T09:00:00.000Z',
      },
      ship: { shipped: 'A-1' },
    },
    skipped: ['cancel'],
  },
});

function received(event: JsonValue): Outcome {
  return { kind: 'output', output: event, handle: 'received' };
}
