import Type, { type Static } from 'typebox';
import { Id, nullable, oneOf } from './common.ts';

/** Longest period of insights, in days. */
export const MAX_INSIGHTS_DAYS = 400;

const Day = Type.String({ format: 'date', description: 'A day of UTC, such as 2026-11-28' });

/** The query of GET /api/insights. Without `to` today, without `from` the 30 days up to `to`. */
export const InsightsQuery = Type.Object({
  workspaceId: Id,
  workflowId: Type.Optional(Id),
  from: Type.Optional(
    Type.String({ format: 'date', description: 'The first day, of UTC; by default 29 days before `to`' }),
  ),
  to: Type.Optional(Type.String({ format: 'date', description: 'The last day, of UTC; by default today' })),
  format: oneOf(['json', 'csv'], { default: 'json', description: '`csv`: a row per day' }),
});

const FailureRate = nullable(
  Type.Number({ description: 'Share of failed and timed out runs among all but the stopped ones, from 0 to 1' }),
  { description: 'null without such runs' },
);

const Figures = {
  runs: Type.Integer({ description: 'Runs that ended' }),
  success: Type.Integer(),
  failed: Type.Integer(),
  timeout: Type.Integer(),
  stopped: Type.Integer(),
  failureRate: FailureRate,
  durationMs: nullable(Type.Object({ p50: Type.Number(), p95: Type.Number() }), {
    description: 'Within 5 %, or a ms; null if no run was started',
  }),
};

/** How the runs of a workspace, or of one of its workflows, ended: in total, by day and by workflow. */
export const Insights = Type.Object({
  workspaceId: Id,
  workflowId: nullable(Id, { description: 'null for all workflows' }),
  from: Day,
  to: Day,
  ...Figures,
  previous: Type.Object({ from: Day, to: Day, ...Figures }, { description: 'As many days before' }),
  days: Type.Array(Type.Object({ day: Day, ...Figures }), { description: 'Every day, also those without runs' }),
  workflows: Type.Array(
    Type.Object({
      workflowId: Id,
      workflowName: nullable(Type.String({ description: 'null after the workflow was deleted' })),
      ...Figures,
      previous: Type.Object({ runs: Type.Integer(), failureRate: FailureRate }),
    }),
    { description: 'The 25 with the most runs' },
  ),
});

export type InsightsQuery = Static<typeof InsightsQuery>;
export type Insights = Static<typeof Insights>;
/** Counts, failure rate and durations of a day, a period or a workflow. */
export type InsightsFigures = Omit<Insights['days'][number], 'day'>;
