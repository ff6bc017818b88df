import Type, { type Static } from 'typebox';
import { Id, KnownPerson, nullable, pageQuery } from './common.js';
import { WorkflowSchedule } from './workflows.js';

export const ListSchedulesQuery = Type.Object({
  workspaceId: Id,
  workflowId: Type.Optional(Id),
  paused: Type.Optional(Type.Boolean({ description: 'Only schedules that are paused, or only those that are not' })),
  ...pageQuery(),
});

/** A schedule of the active version of a workflow. */
export const ScheduleEntry = Type.Object({
  workflowId: Id,
  workflowName: Type.String(),
  ...WorkflowSchedule.properties,
  maxOverlap: Type.Integer({ description: 'Number of unfinished runs from which the next one waits' }),
  pausedBy: nullable(Id),
  pausedByUser: KnownPerson,
});

export type ListSchedulesQuery = Static<typeof ListSchedulesQuery>;
export type ScheduleEntry = Static<typeof ScheduleEntry>;
