import { TriggerOptions } from '@deckhand/contracts';
import { defineNodeType, output } from '@deckhand/engine';
import Type from 'typebox';
import { findExpressions } from '../trigger/fixed-parameters.ts';
import { withoutKeys } from '../trigger/key-options.ts';
import { findOptionIssues } from '../trigger/option-issues.ts';
import { findScheduleIssues, warnOfSteps } from '../trigger/schedule-issues.ts';

export default defineNodeType({
  type: 'trigger.schedule',
  title: 'Schedule',
  description:
    'Starts a run at the times of a cron expression, while the workflow is active. Its output is `{ scheduledFor, timezone, nodeId, isCatchUp }`: the time that was due, in UTC, and whether it had been missed by more than a minute.',
  keywords: ['cron', 'timer', 'every day', 'daily', 'hourly', 'weekly', 'interval', 'periodic', 'recurring'],
  category: 'trigger',
  icon: 'calendar-clock',
  summary: '{cron}',
  hasEffects: false,
  parameters: Type.Object(
    {
      cron: Type.String({
        minLength: 9,
        maxLength: 200,
        description: 'Minute, hour, day of month, month, day of week; with six fields the first is seconds',
      }),
      timezone: Type.Optional(
        Type.String({ minLength: 1, maxLength: 64, default: 'UTC', description: 'IANA name, such as Europe/Berlin' }),
      ),
      catchUp: Type.Optional(
        Type.Boolean({
          default: false,
          description: 'After an outage of more than a minute, run once for the times that were missed',
        }),
      ),
      maxOverlap: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 1_000,
          default: 100,
          description: 'Maximum number of unfinished runs of this schedule; further ones wait until one has ended',
        }),
      ),
      options: Type.Optional(TriggerOptions),
    },
    { additionalProperties: false },
  ),
  form: { inputs: { cron: 'cron' } },
  outputSchema: Type.Object({
    scheduledFor: Type.String(),
    timezone: Type.String(),
    nodeId: Type.String(),
    isCatchUp: Type.Boolean(),
  }),
  check(parameters) {
    const expressions = findExpressions(withoutKeys(parameters));
    return expressions.length > 0 ? expressions : [...findScheduleIssues(parameters), ...findOptionIssues(parameters)];
  },
  warn: ({ cron }) => warnOfSteps(cron),
  // Read before there is a run. Only a key may be an expression.
  verbatim: ['options'],
  run: (_parameters, { trigger }) => output(trigger),
  example: {
    trigger: {
      scheduledFor: '2026-01-05T08:00:00.000Z',
      timezone: 'Europe/Berlin',
      nodeId: 'morning',
      isCatchUp: false,
    },
    definition: {
      nodes: [
        {
          id: 'morning',
          type: 'trigger.schedule',
          parameters: { cron: '0 9 * * 1-5', timezone: 'Europe/Berlin' },
        },
        { id: 'note', type: 'set', parameters: { fields: { due: '{{ $trigger.scheduledFor }}' } } },
      ],
      edges: [{ source: 'morning', target: 'note' }],
    },
    outputs: {
      morning: {
        scheduledFor: '2026-01-05T08:00:00.000Z',
        timezone: 'Europe/Berlin',
        nodeId: 'morning',
        isCatchUp: false,
      },
      note: { due: '2026-01-05T08:00:00.000Z' },
    },
  },
});
