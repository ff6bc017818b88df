import Type, { type Static } from 'typebox';
import { Id, KnownPerson, nullable, pageQuery } from './common.js';
import { WorkflowSchedule } from './workflows.js';

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

export type ListSchedulesQuery = Static<typeof ListSchedulesQuery>;
export type ScheduleEntry = Static<typeof ScheduleEntry>;
