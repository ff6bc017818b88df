import Type, { type Static } from 'typebox';
import { Id, KnownPerson, nullable, pageQuery, Time } from './common.ts';
import { WorkflowSchedule } from './workflows.ts';

export const ListSchedulesQuery = Type.Object({
  workspaceId: Id,
  workflowId: Type.Optional(Id),
  paused: Type.Optional(Type.Boolean({ description: 'Whether to list paused schedules only, or others only' })),
  ...pageQuery(),
});

/** A schedule of the active version of a workflow. */
export const ScheduleEntry = Type.Object({
  workflowId: Id,
  workflowName: Type.String(),
  ...WorkflowSchedule.properties,
  maxOverlap: Type.Integer({ description: 'Maximum number of unfinished runs; the next one waits' }),
  pausedBy: nullable(Id),
  pausedByUser: KnownPerson,
});

/** The query of GET /api/schedules/times. */
export const ListScheduleTimesQuery = Type.Object({
  cron: Type.String({ minLength: 9, maxLength: 200, description: 'As in a `trigger.schedule` node' }),
  timezone: Type.String({ minLength: 1, maxLength: 64, default: 'UTC', description: 'IANA name' }),
});

/** The next times of a cron expression. */
export const ScheduleTimes = Type.Object({
  times: Type.Array(Time, { description: 'The next five times, the earliest first' }),
});

export type ListSchedulesQuery = Static<typeof ListSchedulesQuery>;
export type ScheduleTimes = Static<typeof ScheduleTimes>;
export type ScheduleEntry = Static<typeof ScheduleEntry>;
