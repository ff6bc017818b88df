import Type, { type Static } from 'typebox';
import { EXECUTION_STATUSES, type ExecutionStatus } from '../execution-status.ts';
import { GivenTime, Id, nullable, oneOf, Time } from './common.ts';

/** The period: `to` is now and `from` a day before it unless they are given. */
export const RunStatsQuery = Type.Object({
  workspaceId: Id,
  from: Type.Optional(GivenTime),
  to: Type.Optional(GivenTime),
});

/** Percentiles in ms; null without a run to measure. */
const Percentiles = nullable(Type.Object({ p50: Type.Number(), p95: Type.Number(), p99: Type.Number() }));

/** How many runs have each status. */
export const StatusCounts = Type.Unsafe<Readonly<Record<ExecutionStatus, number>>>({
  type: 'object',
  propertyNames: { enum: [...EXECUTION_STATUSES] },
  additionalProperties: { type: 'integer' },
});

const Stats = { total: Type.Integer(), statuses: StatusCounts, waitMs: Percentiles, runMs: Percentiles };

/** Runs of a period, and of each of the equal parts that it is cut into. */
export const RunStats = Type.Object({
  workspaceId: Id,
  from: Time,
  to: Time,
  bucketSeconds: Type.Integer(),
  ...Stats,
  buckets: Type.Array(Type.Object({ from: Time, ...Stats })),
});

/** The slowest workflows of a period, by the time within which 95 of 100 finished runs ended; times in ms. */
export const WorkflowTimes = Type.Object({
  workspaceId: Id,
  from: Time,
  to: Time,
  data: Type.Array(
    Type.Object({
      workflowId: Id,
      name: Type.String(),
      total: Type.Integer({ description: 'Finished runs' }),
      failed: Type.Integer({ description: 'Of these, those that failed or timed out' }),
      runMs: Type.Object({ p50: Type.Number(), p95: Type.Number() }),
    }),
  ),
});

/** Maximum number of workflows in a request for their activity. */
const MAX_ACTIVITY_WORKFLOWS = 100;

/** The query of GET /api/monitoring/activity. */
export const WorkflowActivityQuery = Type.Object({
  workspaceId: Id,
  workflowId: Type.Array(Id, {
    minItems: 1,
    maxItems: MAX_ACTIVITY_WORKFLOWS,
    description: `Up to ${MAX_ACTIVITY_WORKFLOWS} workflows, separated by commas or in repeated parameters`,
  }),
});

/** How workflows are doing: those of the request that exist. */
export const WorkflowActivity = Type.Object({
  workspaceId: Id,
  data: Type.Array(
    Type.Object({
      workflowId: Id,
      lastRun: nullable(
        Type.Object({
          id: Id,
          status: oneOf(EXECUTION_STATUSES),
          startedAt: { ...Time, description: 'Of a run that has not started, when it was created' },
        }),
        { description: 'The run that started last, in any mode; null without one' },
      ),
      failedRuns: Type.Integer({
        description:
          'Runs that started in the last 24 hours and failed or timed out, among the last 20,000 of the workspace',
      }),
      triggers: Type.Array(oneOf(['webhook', 'schedule', 'event']), {
        description: 'What starts runs by itself: a URL (of a form, too), a schedule, or an incoming event',
      }),
    }),
  ),
});

const WorkerEntry = Type.Object({
  id: Type.String(),
  host: Type.String(),
  pid: Type.Integer(),
  version: Type.String(),
  state: oneOf(['starting', 'consuming', 'stalled', 'draining']),
  concurrency: Type.Integer(),
  active: Type.Integer(),
  startedAt: Time,
  lastSeenAt: Time,
});

const QueueState = Type.Object({
  waiting: Type.Integer(),
  active: Type.Integer(),
  delayed: Type.Integer(),
  oldestWaitingSeconds: Type.Integer({ description: '0 if no run waits' }),
});

export const FleetResponse = Type.Object({
  workers: Type.Object({ live: Type.Integer(), consuming: Type.Integer() }),
  data: Type.Optional(Type.Array(WorkerEntry, { description: 'For administrators of the instance' })),
  queue: Type.Optional(Type.Object(QueueState.properties, { description: 'For administrators of the instance' })),
});

export type RunStatsQuery = Static<typeof RunStatsQuery>;
export type RunStats = Static<typeof RunStats>;
export type RunStatsBucket = RunStats['buckets'][number];
export type WorkflowTimes = Static<typeof WorkflowTimes>;
export type WorkflowActivityQuery = Static<typeof WorkflowActivityQuery>;
export type WorkflowActivity = Static<typeof WorkflowActivity>;
export type FleetResponse = Static<typeof FleetResponse>;
export type WorkerEntry = Static<typeof WorkerEntry>;
export type QueueState = Static<typeof QueueState>;
