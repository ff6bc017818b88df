import { CLOSED, EVENT_NAME_PATTERN, TriggerOptions } from '@deckhand/contracts';
import { defineNodeType, output } from '@deckhand/engine';
import Type from 'typebox';
import { EventOutput } from '../trigger/event-output.ts';
import { findExpressions } from '../trigger/fixed-parameters.ts';
import { withoutKeys } from '../trigger/key-options.ts';
import { findOptionIssues } from '../trigger/option-issues.ts';
import { findTriggerExpressionIssues, MAX_TRIGGER_EXPRESSION_LENGTH } from '../trigger/trigger-expression.ts';

export default defineNodeType({
  type: 'trigger.event',
  title: 'Event',
  description:
    'Starts a run for each event with a given name that is sent to the workspace, while the workflow is active. Its output is the event: `{ id, name, key, data, receivedAt }`.',
  keywords: ['subscribe', 'listen', 'publish', 'message', 'queue', 'signal'],
  category: 'trigger',
  icon: 'zap',
  summary: '{name}',
  hasEffects: false,
  parameters: Type.Object(
    {
      name: Type.String({ pattern: EVENT_NAME_PATTERN, description: 'The name of the events, such as `order.paid`' }),
      filter: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: MAX_TRIGGER_EXPRESSION_LENGTH,
          description:
            'Only events for which it is true start a run, such as `{{ $trigger.data.amount > 100 }}`. If it fails, there is no run',
        }),
      ),
      options: Type.Optional(TriggerOptions),
    },
    CLOSED,
  ),
  outputSchema: EventOutput,
  // Read before there is a run. Only the filter and keys may be expressions.
  verbatim: ['filter', 'options'],
  check: ({ filter, ...fixed }) => [
    ...findExpressions(withoutKeys(fixed)),
    ...findOptionIssues(fixed),
    ...findTriggerExpressionIssues('filter', filter),
  ],
  run: (_parameters, { trigger }) => output(trigger),
  example: {
    trigger: {
      id: 'evt-17',
      name: 'order.paid',
      key: 'A-1',
      data: { amount: 120 },
      receivedAt: '2026-01-05T09:00:00.000Z',
    },
    definition: {
      nodes: [
        {
          id: 'paid',
          type: 'trigger.event',
          parameters: { name: 'order.paid', filter: '{{ $trigger.data.amount > 100 }}' },
        },
        {
          id: 'note',
          type: 'set',
          parameters: { fields: { order: '{{ $trigger.key }}', amount: '{{ $trigger.data.amount }}' } },
        },
      ],
      edges: [{ source: 'paid', target: 'note' }],
    },
    outputs: { note: { order: 'A-1', amount: 120 } },
  },
});
